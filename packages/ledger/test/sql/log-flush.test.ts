import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'
import { newPayment } from '../../src/conformance/fixtures.ts'
import { compileQueries } from '../../src/sql/queries/queries.ts'
import type { LedgerDatabase } from '../../src/sql/schema/schema.ts'
import { createSqlStore } from '../../src/sql/sql-store.ts'
import { createLogFlush, type LogFile } from '../../src/sql/sqlite/log-flush.ts'
import { createSqliteExecutor } from '../../src/sql/sqlite/sqlite-executor.ts'
import { sqliteTestLedger } from './test-ledgers.ts'

/** A file whose flushes end when the test ends them. */
function slowFile() {
  const begun: ReturnType<typeof Promise.withResolvers<undefined>>[] = []
  const file: LogFile = {
    datasync: () => {
      const flush = Promise.withResolvers<undefined>()
      begun.push(flush)
      return flush.promise
    },
    close: async () => undefined,
  }
  return { file, begun }
}

/** Runs what can run without the flush that is awaited. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  await turns()
  return Promise.race([promise.then(() => true), Promise.resolve(false)])
}

test('the event loop turns while a group is flushed, and what arrives is the next group', async () => {
  const ledger = await sqliteTestLedger()
  try {
    await (await ledger.open()).close()
    const path = ledger.url.replace('sqlite:', '')
    const [database, other] = [new Database(path), new Database(path)]
    const { file, begun } = slowFile()
    const log = createLogFlush({ file, othersVersion: () => 0 })
    const db = new Kysely<LedgerDatabase>({ dialect: new SqliteDialect({ database }) })
    const checkpoint = { ready: () => undefined, close: async () => undefined }
    const executor = createSqliteExecutor({ database, log, checkpoint, openReader: () => other })
    const store = createSqlStore(compileQueries(db, 'sqlite'), executor)
    const written = (): unknown => other.prepare('select count(*) from payment').pluck().get()

    const first = store.claim(newPayment(1))
    expect(await isSettled(first)).toBe(false)
    const others = Promise.all([store.claim(newPayment(2)), store.claim(newPayment(3))])
    await turns()
    expect(written()).toBe(1)
    begun[0]?.resolve(undefined)
    expect((await first).status).toBe('claimed')
    expect(await isSettled(others)).toBe(false)
    expect([written(), begun.length]).toEqual([3, 2])
    begun[1]?.resolve(undefined)
    expect((await others).map(({ status }) => status)).toEqual(['claimed', 'claimed'])
    other.close()
    await store.close()
  } finally {
    await ledger.dispose()
  }
})

test('a read waits for the flush of what it may have seen, of this process and of others', async () => {
  const ledger = await sqliteTestLedger()
  try {
    await (await ledger.open()).close()
    const path = ledger.url.replace('sqlite:', '')
    const [database, other] = [new Database(path), new Database(path)]
    const version = database.prepare('pragma data_version').pluck()
    const { file, begun } = slowFile()
    const log = createLogFlush({ file, othersVersion: () => version.get() })

    const flushed = log.flush()
    const own = log.seen()
    expect(await isSettled(own)).toBe(false)
    begun[0]?.resolve(undefined)
    await Promise.all([flushed, own])
    await log.seen()
    expect(begun).toHaveLength(1)

    other.exec('create table t (x)')
    const foreign = log.seen()
    expect(await isSettled(foreign)).toBe(false)
    expect(begun).toHaveLength(2)
    begun[1]?.resolve(undefined)
    await foreign
    database.close()
    other.close()
  } finally {
    await ledger.dispose()
  }
})

test('after a failed flush, no later one reports success', async () => {
  const { file, begun } = slowFile()
  const log = createLogFlush({ file, othersVersion: () => 0 })
  const first = log.flush()
  await turns()
  begun[0]?.reject(new Error('EIO'))
  await expect(first).rejects.toThrow('EIO')
  await expect(log.flush()).rejects.toThrow('EIO')
  await expect(log.seen()).rejects.toThrow('EIO')
  expect(begun).toHaveLength(1)
})

test('the error of a failed flush asks for a restart', async () => {
  const { file, begun } = slowFile()
  const log = createLogFlush({ file, othersVersion: () => 0 })
  const flushed = log.flush()
  await turns()
  begun[0]?.reject(new Error('EIO'))
  await expect(flushed).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('restart this process once the disk works'),
  })
})
