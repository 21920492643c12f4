import { existsSync } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../../scripts/testing/postgres.ts'
import { openStore } from '../../../src/compose/open-store.ts'
import { readConfig } from '../../../src/config.ts'
import { checkLedger } from '../../../src/doctor/ledger/check-ledger.ts'

function check(environment: Readonly<Record<string, string>>) {
  const read = readConfig(environment)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  return checkLedger(read.config)
}

test('a SQLite ledger that does not exist is not created', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-doctor-'))
  const data = join(folder, 'new', 'data')
  expect(await check({ DATA_DIR: data })).toEqual([
    {
      verdict: 'note',
      subject: 'database',
      message: `there is no ledger at ${join(data, 'ledger.sqlite')}: the first start creates it`,
    },
  ])
  expect(existsSync(join(folder, 'new'))).toBe(false)

  const file = join(folder, 'file')
  await writeFile(file, '')
  expect(await check({ DATA_DIR: join(file, 'data') })).toMatchObject([
    { verdict: 'wrong', message: `${file} cannot be written` },
  ])
  await rm(folder, { recursive: true })
})

test('a SQLite ledger that opens and cannot be read is to be restored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-doctor-'))
  const file = join(folder, 'ledger.sqlite')
  await (await openStore({ DATA_DIR: folder, DATABASE_URL: undefined })).close()
  const database = new Sqlite(file)
  const root = "select rootpage from sqlite_master where name = 'payment'"
  const page = Number(database.prepare(root).pluck().get())
  const size = Number(database.pragma('page_size', { simple: true }))
  database.close()
  const disk = await open(file, 'r+')
  await disk.write(Buffer.alloc(size, 0xff), 0, size, (page - 1) * size)
  await disk.close()
  expect(await check({ DATA_DIR: folder })).toMatchObject([
    { verdict: 'wrong', fix: expect.stringMatching(/^restore a backup/) },
  ])
  await rm(folder, { recursive: true })
})

test('a SQLite ledger of an earlier version is not migrated', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-doctor-'))
  await (await openStore({ DATA_DIR: folder, DATABASE_URL: undefined })).close()
  const database = new Sqlite(join(folder, 'ledger.sqlite'))
  const names = database.prepare('select name from ledger_migration order by name').pluck()
  const all = names.all()
  database.prepare('delete from ledger_migration where name = ?').run(all.at(-1))
  const message = `the schema of the ledger is ${String(all.at(-2))}, and this version migrates it to ${String(all.at(-1))} at its next start`
  expect(await check({ DATA_DIR: folder })).toEqual([
    { verdict: 'note', subject: 'database', message },
  ])
  expect(names.all()).toEqual(all.slice(0, -1))
  database.close()
  await rm(folder, { recursive: true })
})

describe.skipIf(!hasPostgres())('a PostgreSQL database', () => {
  let server: TestPostgres
  let url: string
  const name = `doctor_${process.pid}_${Date.now()}`
  const run = async (database: string, statement: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    const result = await client.query(statement)
    await client.end()
    return result
  }
  beforeAll(async () => {
    server = await startPostgres()
    await run(server.url, `create database ${name}`)
    const address = new URL(server.url)
    address.pathname = `/${name}`
    url = address.href
  })
  afterAll(async () => {
    await run(server.url, `drop database ${name}`)
    await server.stop()
  })
  const withSetting = (setting: string): string => {
    const address = new URL(url)
    address.searchParams.set('options', `-c ${setting}`)
    return address.href
  }

  test('that is empty stays empty, until a start creates its tables', async () => {
    expect(await check({ DATABASE_URL: url })).toEqual([
      {
        verdict: 'note',
        subject: 'database',
        message: 'PostgreSQL has no ledger: the first start creates its tables',
      },
    ])
    const tables = "select from pg_class where relnamespace = 'public'::regnamespace"
    expect((await run(url, tables)).rowCount).toBe(0)
    await (await openStore({ DATABASE_URL: url, DATA_DIR: '/nowhere' })).close()
    expect(await check({ DATABASE_URL: url })).toEqual([
      { verdict: 'ok', subject: 'database', message: 'PostgreSQL is reachable' },
    ])
  })

  test.each([
    ['default_transaction_read_only=on', 'PostgreSQL is read-only'],
    ['search_path=none', 'PostgreSQL: the role of DATABASE_URL may not create tables'],
  ])('that takes no tables, because of %s, is wrong', async (setting, message) => {
    const empty = `${name}_empty`
    await run(server.url, `create database ${empty}`)
    const found = await check({ DATABASE_URL: withSetting(setting).replace(name, empty) })
    await run(server.url, `drop database ${empty}`)
    expect(found).toMatchObject([{ verdict: 'wrong', message, fix: expect.any(String) }])
  })
})
