/** The fields without undefined. */
export type Complete<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }

/** Whether every field could be read. */
export function isComplete<Fields extends object>(
  fields: Fields,
): fields is Fields & Complete<Fields> {
  return Object.values(fields).every((value) => value !== undefined)
}

/** The name of the first field that could not be read. */
export function missingField(fields: object): string {
  return Object.entries(fields).find(([, value]) => value === undefined)?.[0] ?? ''
}
