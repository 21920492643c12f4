import { LedgerError } from '../../payment/ledger-error.ts'
import type { Hex, Lease } from '../../payment/payment-record.ts'
import type { Row } from '../queries/query.ts'

export function text(row: Row, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : refuse(row, column)
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column)
}

export function hex(row: Row, column: string): Hex {
  const value = text(row, column)
  return isHex(value) ? value : refuse(row, column)
}

export function hexOrNull(row: Row, column: string): Hex | null {
  return row[column] === null ? null : hex(row, column)
}

/** An amount of money. */
export function amount(row: Row, column: string): bigint {
  const value = row[column]
  return typeof value === 'bigint' ? value : refuse(row, column)
}

/** A count or a block. */
export function whole(row: Row, column: string): number {
  const value = Number(amount(row, column))
  return Number.isSafeInteger(value) ? value : refuse(row, column)
}

/** A time in milliseconds since 1970, within what a `Date` can hold. */
export function time(row: Row, column: string): number {
  const value = whole(row, column)
  return Math.abs(value) <= 8.64e15 ? value : refuse(row, column)
}

export function timeOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : time(row, column)
}

export function wholeOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : whole(row, column)
}

export function oneOf<Word extends string>(row: Row, column: string, words: readonly Word[]): Word {
  const value = row[column]
  return words.find((word) => word === value) ?? refuse(row, column)
}

export function leaseIn(row: Row): Lease | null {
  const owner = textOrNull(row, 'lease_owner')
  return owner === null ? null : { owner, until: whole(row, 'lease_until') }
}

/** A value that was stored as JSON. */
export function json<Value>(
  row: Row,
  column: string,
  is: (value: unknown) => value is Value,
): Value {
  const value = parsed(text(row, column))
  return is(value) ? value : refuse(row, column)
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

function isHex(value: string): value is Hex {
  return value.startsWith('0x')
}

/** @throws {LedgerError} `corrupt_row`, with a value that identifies the row. */
export function refuse(row: Row, column: string): never {
  const value = String(row[column]).slice(0, 80)
  const key = ['id', 'payment_id', 'nonce', 'seq'].find((name) => row[name] != null)
  const where = key === undefined ? '' : ` in the row of ${String(row[key])}`
  throw new LedgerError(
    'corrupt_row',
    `the database holds an invalid ${column}${where}: ${JSON.stringify(value)}`,
  )
}
