/**
 * A moment in ms since 1970. Compared with a date, `NaN` would come before all of them, and the oldest
 * price would be taken for the current one.
 */
export function momentOf(name: string, moment: Date | number): number {
  const at = moment instanceof Date ? moment.getTime() : moment
  if (typeof at === 'number' && !Number.isNaN(at)) return at
  throw new RangeError(`${name} must be a valid Date or milliseconds since 1970`)
}
