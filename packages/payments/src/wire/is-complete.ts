/** The fields without undefined. */
export type Complete<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }

/** Whether every field could be read. */
export function isComplete<Fields extends object>(
  fields: Fields,
): fields is Fields & Complete<Fields> {
  return Object.values(fields).every((value) => value !== undefined)
}

/** The name of the first field that could not be read, and what it must be. */
export function missingField(fields: object): { readonly name: string; readonly problem: string } {
  const name = Object.entries(fields).find(([, value]) => value === undefined)?.[0] ?? ''
  return { name, problem: `must be ${forms[name] ?? address}` }
}

const address = 'an address with 0x'
const amount = 'atomic units as a decimal string'
const time = 'seconds since 1970 as a decimal string'
const word = '32 bytes in hexadecimal with 0x'

/** The forms of fields that are not addresses. */
const forms: Readonly<Record<string, string>> = {
  value: amount,
  amount,
  maxClaimableAmount: amount,
  validAfter: time,
  validBefore: time,
  withdrawDelay: 'seconds as a whole number',
  nonce: word,
  salt: word,
  channelId: word,
  signature: 'bytes in hexadecimal with 0x',
}
