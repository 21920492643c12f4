import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { LedgerError } from '../../payment/ledger-error.ts'

/** What goes into a database: never a number, which a driver might take for a float. */
export type SqlValue = bigint | string | Uint8Array | null

/** What comes out, to be read column by column. */
export type Row = Readonly<Record<string, unknown>>

export type Values = Readonly<Record<string, SqlValue>>

/** A statement compiled once, with named places for its values. */
export type Query = {
  readonly name: string
  readonly text: string
  readonly parameters: readonly (SqlValue | Place)[]
}

/** A statement to be run with these values. */
export type Statement = { readonly query: Query; readonly values: Values }

/**
 * A piece of work on the database: it yields statements and is given their rows. SQLite runs it
 * without a pause, PostgreSQL between round trips; what it does is written once.
 */
export type Operation<Result> = Generator<Statement, Result, readonly Row[]>

/** Runs one statement inside an operation. */
export function* rowsOf(query: Query, values: Values = {}): Operation<readonly Row[]> {
  return yield { query, values }
}

type Place = { readonly place: string }

/** A place in a query for the value of that name. */
export function place<Value>(name: string): RawBuilder<Value> {
  return sql<Value>`${{ place: name } satisfies Place}`
}

/** A query that Kysely compiled, ready to be run any number of times. */
export function compiled(name: string, { sql: text, parameters }: CompiledQuery): Query {
  return { name, text, parameters: parameters.map(parameterOf) }
}

/** The values in the order in which the statement takes them. */
export function boundValues({ query, values }: Statement): SqlValue[] {
  return query.parameters.map((parameter) => {
    if (!isPlace(parameter)) return parameter
    const value = values[parameter.place]
    if (value === undefined) {
      throw new LedgerError('corrupt_row', `${query.name} was given no ${parameter.place}`)
    }
    return value
  })
}

function parameterOf(parameter: unknown): SqlValue | Place {
  if (typeof parameter === 'number') return BigInt(parameter)
  if (typeof parameter === 'string' || typeof parameter === 'bigint') return parameter
  if (typeof parameter === 'object' && parameter !== null && 'place' in parameter) {
    return { place: String(parameter.place) }
  }
  throw new LedgerError('corrupt_row', `${typeof parameter} cannot be a value of a query`)
}

function isPlace(parameter: SqlValue | Place): parameter is Place {
  return typeof parameter === 'object' && parameter !== null && 'place' in parameter
}
