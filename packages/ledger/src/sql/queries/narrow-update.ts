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
  /** At most 31. */
  readonly columns: readonly string[]
  /** What follows the assignments. */
  readonly rest: RawBuilder<unknown>
}

/** Compiles each update once; the events of a row change few different sets of columns. */
export function narrowUpdate(db: Kysely<LedgerDatabase>, parts: UpdateParts): NarrowUpdate {
  const { name, table, columns, rest } = parts
  /** By the columns that changed, a bit for each. */
  const known = new Map<number, Query>()
  return function updateOf(before, after) {
    let changed = 0
    for (const [index, column] of columns.entries()) {
      if (before[column] !== after[column]) changed |= 1 << index
    }
    const query = known.get(changed) ?? compile(changed)
    known.set(changed, query)
    return query
  }

  function compile(changed: number): Query {
    const written = assignments(columns.filter((_, index) => (changed & (1 << index)) !== 0))
    const text = sql`update ${sql.table(table)} set ${written} ${rest}`
    return compiled(`${name}_${changed.toString(2)}`, text.compile(db))
  }
}
