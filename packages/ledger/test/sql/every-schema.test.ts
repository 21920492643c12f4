import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { expect, test } from 'vitest'
import { createMigrator, latestMigration, migrate } from '../../src/sql/schema/migrations.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'

// That rows survive is shown by the migration cases, in SQLite and PostgreSQL.
test('every earlier schema is brought to the rules of a new one', async () => {
  const names = (await createMigrator(open(), 'sqlite').getMigrations()).map(({ name }) => name)
  expect(names.length).toBeGreaterThan(5)
  expect(names.at(-1)).toBe(latestMigration)
  const expected = await rulesFrom(undefined)
  for (const name of names) expect([name, await rulesFrom(name)]).toEqual([name, expected])
})

function open(): Kysely<LedgerDatabase> {
  const database = new Database(':memory:').unsafeMode()
  return new Kysely({ dialect: new SqliteDialect({ database }) })
}

/** Tables, indexes and triggers after the migrations that follow this one, or all. */
async function rulesFrom(name: string | undefined): Promise<readonly string[]> {
  const db = open()
  if (name !== undefined) {
    expect((await createMigrator(db, 'sqlite').migrateTo(name)).error).toBe(undefined)
  }
  await migrate(db, 'sqlite')
  const { rows } = await sql<{ readonly rule: string }>`
    select sql as rule from sqlite_master where sql is not null order by name`.execute(db)
  await db.destroy()
  return rows.map(({ rule }) => rule)
}
