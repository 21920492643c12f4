import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../src/compose/open-store.ts'
import { runGateway } from '../contract/run-gateway.ts'
import { newSale } from '../support/new-sale.ts'

const [sale, other] = [newSale(), newSale(1)]
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  const store = await openStore({ DATABASE_URL: undefined, DATA_DIR: folder })
  for (const payment of [sale, other]) await store.claim(payment)
  await store.close()
  const database = new Database(join(folder, 'ledger.sqlite'))
  database.prepare('update payment set updated_at = 8640000000000001 where id = ?').run(sale.id)
  database.close()
})
afterAll(() => rm(folder, { recursive: true }))

test('an export leaves out a row that cannot be read, names it, and fails after the others', async () => {
  const { code, stdout, stderr } = await runGateway(['ledger', 'export'], { DATA_DIR: folder })
    .ended
  const ids = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  expect({ code, ids }).toEqual({ code: 1, ids: [other.id] })
  expect(stderr).toBe(
    `Left out: the database holds an invalid updated_at in the row of ${sale.id}: "8640000000000001". Correct it from a copy of the ledger.\n`,
  )
})
