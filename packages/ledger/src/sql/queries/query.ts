import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { LedgerError } from '../../payment/ledger-error.ts'

/** A value to write: never a number, which a driver might store as a float. */
export type SqlValue = bigint | string | Uint8Array | null

/** A row as the driver returns it, to be read column by column. */
export type Row = Readonly<Record<string, unknown>>

export type Values = Readonly<Record<string, SqlValue>>

/** A statement compiled once, with named placeholders for its values. */
export type Query = {
  readonly name: string
  readonly text: string
  readonly parameters: readonly Parameter[]
}

/** A query with its values. */
export type Statement = { readonly query: Query; readonly values: Values }

/** What a statement read, or how many rows it wrote. */
export type Answer = { readonly rows: readonly Row[]; readonly written: number }

/**
 * Work on the database: it yields statements and receives their answers. SQLite runs it synchronously,
 * PostgreSQL with a round trip per statement; the work is written only once.
 */
export type Operation<Result> = Generator<Statement, Result, Answer>

/** Given to an operation when it begins, before its first statement. */
export const noAnswer: Answer = { rows: [], written: 0 }

/** Runs one statement inside an operation. */
export function* rowsOf(query: Query, values: Values = {}): Operation<readonly Row[]> {
  return (yield { query, values }).rows
}

/** Runs one statement that always returns a row, such as a sum. */
export function* onlyRowOf(query: Query, values: Values = {}): Operation<Row> {
  const [row] = yield* rowsOf(query, values)
  if (row === undefined) throw new LedgerError('corrupt_row', `${query.name} returned no row`)
  return row
}

/** Runs one statement that returns no rows; the result is how many it wrote. */
export function* writtenBy(query: Query, values: Values): Operation<number> {
  return (yield { query, values }).written
}

type Place = { readonly place: string }
type Parameter = bigint | string | Place

/** A placeholder in a query for the value with that name. */
export function place<Value>(name: string): RawBuilder<Value> {
  return sql<Value>`${{ place: name } satisfies Place}`
}

/** A query compiled by Kysely, to be run any number of times. */
export function compiled(name: string, { sql: text, parameters }: CompiledQuery): Query {
  return { name, text, parameters: parameters.map(parameterOf) }
}

/** The values in the order of the statement's parameters. */
export function boundValues({ query, values }: Statement): SqlValue[] {
  return query.parameters.map((parameter) => {
    if (typeof parameter !== 'object') return parameter
    const value = values[parameter.place]
    if (value === undefined) {
      throw new LedgerError('corrupt_row', `${query.name} lacks a value for ${parameter.place}`)
    }
    return value
  })
}

function parameterOf(parameter: unknown): Parameter {
  if (typeof parameter === 'number') return BigInt(parameter)
  if (typeof parameter === 'string' || typeof parameter === 'bigint') return parameter
  if (typeof parameter === 'object' && parameter !== null && 'place' in parameter) {
    return { place: String(parameter.place) }
  }
  throw new LedgerError('corrupt_row', `a ${typeof parameter} cannot be a parameter of a query`)
}
