import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { newPayment, settled, start } from '../../src/conformance/fixtures.ts'
import { openLedger } from '../../src/sql.ts'
import { sqliteTestLedger } from './test-ledgers.ts'

test.each(['', 'ledger.db', 'mysql://localhost/x', 'sqlite:', 'sqlite::memory:'])(
  '%j is not a valid ledger URL',
  async (url) => {
    await expect(openLedger({ url })).rejects.toMatchObject({ code: 'invalid_url' })
  },
)

test.each([
  ['openLedger has no option conections', { conections: 4 }],
  ['connections must be a whole number above 0', { connections: -1 }],
  ['connections must be a whole number above 0', { connections: Number.NaN }],
  ['connections must be a whole number above 0', { connections: '16' }],
  ['olderSchema must be "migrate" or "refuse"', { olderSchema: 'refused' }],
])('a wrong option is refused before anything is opened: %s (%#)', async (message, wrong) => {
  const options = { url: 'postgres://user@127.0.0.1:1/none', ...wrong } as never
  await expect(openLedger(options)).rejects.toMatchObject({ code: 'invalid_option', message })
})

test('a missing server is unavailable', async () => {
  const opened = openLedger({ url: 'postgres://user@127.0.0.1:1/none' })
  await expect(opened).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a connection limits statements once it is open: poolers reject one that starts with settings', async () => {
  const packets: string[] = []
  const server = createServer((socket) => {
    socket.on('data', (packet) => {
      packets.push(packet.toString())
      if (packets.length === 1) socket.write(ready)
      else socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const opened = openLedger({ url: `postgres://user@127.0.0.1:${port}/name` })
  await expect(opened).rejects.toMatchObject({ code: 'store_unavailable' })
  server.close()
  const [start = '', first] = packets
  const fields = start.slice(8).split('\0')
  const names = fields.filter((name, at) => at % 2 === 0 && name !== '')
  expect(names.sort()).toEqual(['client_encoding', 'database', 'user'])
  expect(first).toContain('set statement_timeout = 15000')
})

/** A server that needs no password and is ready for queries. */
const ready = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I')

test('a file that is not a database is unavailable', async () => {
  const ledger = await sqliteTestLedger()
  const file = ledger.url.replace('sqlite:', '')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'this is not a database, but long enough to be read as one at first')
  await expect(openLedger({ url: ledger.url })).rejects.toMatchObject({ code: 'store_unavailable' })
  await ledger.dispose()
})

test.runIf(existsSync('/proc/self'))(
  'a file below /proc, where no folder can be created, is unavailable at once',
  async () => {
    await expect(openLedger({ url: 'sqlite:/proc/none/deep/ledger.db' })).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining("mkdir '/proc/none'"),
    })
  },
)

test('a file in the place of the folder is unavailable', async () => {
  const ledger = await sqliteTestLedger()
  const file = ledger.url.replace('sqlite:', '')
  writeFileSync(file, '')
  await expect(openLedger({ url: `sqlite:${file}/ledger.db` })).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('EEXIST'),
  })
  await ledger.dispose()
})

test('a new file that another process is writing is opened once it is free', async () => {
  const ledger = await sqliteTestLedger()
  const file = ledger.url.replace('sqlite:', '')
  mkdirSync(dirname(file), { recursive: true })
  const other = new Database(file)
  other.exec('begin immediate')
  const opening = ledger.open()
  await setTimeout(50)
  other.exec('commit')
  other.close()
  expect(await (await opening).load(newPayment(1).id)).toBeUndefined()
  await ledger.dispose()
})

test('calls before close are completed, calls after it are rejected', async () => {
  const ledger = await sqliteTestLedger()
  const store = await ledger.open()
  const claims = [1, 2, 3].map((number) => store.claim(newPayment(number)))
  await store.close()
  expect((await Promise.all(claims)).map(({ status }) => status)).toEqual(
    claims.map(() => 'claimed'),
  )
  await expect(store.claim(newPayment(4))).rejects.toMatchObject({ code: 'closed' })
  await expect(store.load(newPayment(1).id)).rejects.toMatchObject({ code: 'closed' })
  await store.close()
  await ledger.dispose()
})

test('a payment is still there when the file is opened again', async () => {
  const ledger = await sqliteTestLedger()
  const store = await ledger.open()
  const payment = await settled(store, 1)
  await store.close()
  const reopened = await ledger.open()
  expect(await reopened.load(payment.id)).toEqual(payment)
  const started = await reopened.apply(payment, { type: 'service_started', at: start })
  expect(started.status).toBe('applied')
  await ledger.dispose()
})

test.runIf(existsSync('/proc/locks'))(
  'a file that is opened again in the same process stays locked: another that closes it would remove its log',
  async () => {
    const ledger = await sqliteTestLedger()
    const file = ledger.url.replace('sqlite:', '')
    const locks = (): readonly string[] => {
      const lines = readFileSync('/proc/locks', 'utf8').split('\n')
      const own = lines.filter((line) => line.includes(`:${statSync(file).ino} `))
      return own.map((line) => line.replace(/^\d+: /, ''))
    }
    await ledger.open()
    const before = locks()
    await ledger.open()
    expect(before).toHaveLength(1)
    expect(locks()).toEqual(before)
    await ledger.dispose()
  },
)
