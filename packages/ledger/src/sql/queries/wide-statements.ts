import { type RawBuilder, sql } from 'kysely'
import { place } from './query.ts'

/** `insert into table (columns) values (places)` for rows that are too wide to spell out twice. */
export function insertInto(table: string, columns: readonly string[]): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(columns.map((column) => place(column)))
  return sql`insert into ${sql.table(table)} (${names}) values (${values})`
}

/** The same for one row that is selected, so that a condition may follow. */
export function insertSelected(
  table: string,
  columns: readonly string[],
  wholeColumns: ReadonlySet<string>,
): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(
    columns.map((column) => (wholeColumns.has(column) ? wholeOf(column) : textOf(column))),
  )
  return sql`insert into ${sql.table(table)} (${names}) select ${values}`
}

/** In a select list PostgreSQL cannot infer the type of a parameter. */
export function wholeOf(name: string): RawBuilder<bigint> {
  return sql<bigint>`cast(${place(name)} as bigint)`
}

export function textOf(name: string): RawBuilder<string> {
  return sql<string>`cast(${place(name)} as text)`
}

/**
 * How many rows a statement reads at most. SQLite prepares a statement again at each run if its limit
 * is a bare parameter.
 */
export const limitPlace: RawBuilder<bigint> = wholeOf('limit')

/** `column = place, …` */
export function assignments(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`${sql.ref(column)} = ${place(column)}`))
}
