import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

let folder: string
let file: string
let gateway: TestGateway
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  file = join(folder, 'ledger.db')
  gateway = await openGateway({ DATABASE_URL: `sqlite:${file}` })
})
afterEach(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true, force: true })
})

async function statusOfCall(): Promise<number> {
  const { status } = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
  })
  return status
}

test('a gateway sells nothing once a later version has migrated its ledger', async () => {
  expect(await statusOfCall()).toBe(402)
  const database = new Sqlite(file)
  database.exec("insert into ledger_migration values ('2999-01-01-later', '2999')")
  database.close()
  await expect.poll(statusOfCall).toBe(503)
  expect(await (await fetch(`${gateway.url}/ready`)).json()).toMatchObject({
    issues: ['database_unavailable'],
  })
})

test.each([
  ['file', ''],
  ['log', '-wal'],
])(
  'a gateway sells nothing while the %s of its ledger is not the one that it opened',
  async (_, suffix) => {
    expect(await statusOfCall()).toBe(402)
    await rename(`${file}${suffix}`, `${file}.moved`)
    await expect.poll(statusOfCall).toBe(503)
    await rename(`${file}.moved`, `${file}${suffix}`)
    await expect.poll(statusOfCall).toBe(402)
  },
)
