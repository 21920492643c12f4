import { type RawBuilder, sql } from 'kysely'
import { place } from './query.ts'

/** `insert into table (columns) values (places)` for rows that are too wide to spell out twice. */
export function insertInto(table: string, columns: readonly string[]): RawBuilder<unknown> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(columns.map((column) => place(column)))
  return sql`insert into ${sql.table(table)} (${names}) values (${values})`
}

/** `column = place, …` */
export function assignments(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`${sql.ref(column)} = ${place(column)}`))
}
