/** What the two databases call the same thing. */
export type FillWords = {
  /** Numbers from `low` to `high`, as a table expression named `s` with a column `n`. */
  readonly series: (low: number, high: number) => string
  /** A whole number in hexadecimal, padded with zeros to this many digits. */
  readonly hex: (number: string, digits: number) => string
  /** Follows the columns of an insertion that gives the key itself. */
  readonly ownKey: string
}

export const sqliteWords: FillWords = {
  series: (low, high) => `s(n) as (select ${low} union all select n + 1 from s where n < ${high})`,
  hex: (number, digits) => `printf('%0${digits}x', ${number})`,
  ownKey: '',
}

export const postgresWords: FillWords = {
  series: (low, high) => `s(n) as (select n from generate_series(${low}::bigint, ${high}) as n)`,
  hex: (number, digits) => `lpad(to_hex(${number}), ${digits}, '0')`,
  ownKey: 'overriding system value',
}
