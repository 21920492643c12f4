import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { LedgerDatabase } from '../schema/schema.ts'
import { compiled, type Query, type Values } from './query.ts'
import { assignments } from './wide-statements.ts'

/**
 * The update that writes what differs between two states of a row. The columns that it does not name
 * keep their indexes as they are, which is most of what an update costs.
 */
export type NarrowUpdate = (before: Values, after: Values) => Query

type UpdateParts = {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  /** What follows the assignments. */
  readonly rest: RawBuilder<unknown>
}

/** Compiles each update once; the events of a row change few different sets of columns. */
export function narrowUpdate(db: Kysely<LedgerDatabase>, parts: UpdateParts): NarrowUpdate {
  const { name, table, columns, rest } = parts
  const known = new Map<string, Query>()
  return function updateOf(before, after) {
    const changed = columns.map((column) => before[column] !== after[column])
    const key = `${name}_${changed.map(Number).join('')}`
    const query = known.get(key) ?? compile(key, changed)
    known.set(key, query)
    return query
  }

  function compile(key: string, changed: readonly boolean[]): Query {
    const written = assignments(columns.filter((_, index) => changed[index]))
    return compiled(key, sql`update ${sql.table(table)} set ${written} ${rest}`.compile(db))
  }
}
