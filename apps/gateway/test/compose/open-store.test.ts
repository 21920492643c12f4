import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  startPostgres,
  type TestPostgres,
} from '../../../../scripts/testing/postgres.ts'
import { openExistingStore, openStore } from '../../src/compose/open-store.ts'

describe.skipIf(!hasPostgres())('a command on PostgreSQL', () => {
  let server: TestPostgres
  let url: string
  const name = `empty_${process.pid}_${Date.now()}`
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  beforeAll(async () => {
    server = await startPostgres()
    await run(`create database ${name}`)
    const address = new URL(server.url)
    address.pathname = `/${name}`
    url = address.href
  })
  afterAll(async () => {
    await run(`drop database ${name}`)
    await server.stop()
  })

  test('creates no ledger in an empty database, and opens one that exists', async () => {
    const config = { DATABASE_URL: url, DATA_DIR: '/nowhere' }
    for (const _ of [1, 2]) {
      await expect(openExistingStore(config)).rejects.toMatchObject({
        code: 'missing_ledger',
        message:
          'There is no ledger in the database of DATABASE_URL. Set DATA_DIR or DATABASE_URL to that of the gateway.',
      })
    }
    await (await openStore(config)).close()
    const store = await openExistingStore(config)
    await expect(store.ping()).resolves.toBe(undefined)
    await store.close()
  })

  test('reports a database that does not answer as such', async () => {
    const config = { DATABASE_URL: 'postgres://user@127.0.0.1:1/none', DATA_DIR: '/nowhere' }
    await expect(openExistingStore(config)).rejects.not.toMatchObject({ code: 'missing_ledger' })
  })
})
