import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { settled, start } from '../../src/conformance/fixtures.ts'
import type { PaymentId } from '../../src/index.ts'
import {
  type CheckpointStep,
  type CheckpointThread,
  startCheckpointThread,
} from '../../src/sql/sqlite/checkpoint-thread.ts'
import {
  createLogCheckpoint,
  type LogCheckpointOptions,
  maxPages,
  retryMs,
} from '../../src/sql/sqlite/log-checkpoint.ts'
import { openLedger } from '../../src/sql.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-checkpoint-'))
  file = join(folder, 'ledger.db')
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** A file whose own connection never copies its log. */
function openFile() {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('wal_autocheckpoint = 0')
  database.exec('create table line (text)')
  const insert = database.prepare('insert into line values (?)')
  const write = (): void => void insert.run('x'.repeat(100_000))
  const inLog = (): unknown => database.prepare('pragma wal_checkpoint(noop)').get()
  return { database, write, inLog }
}

test('the thread copies the log, and the next write starts it over', async () => {
  const { database, write, inLog } = openFile()
  write()
  const thread = startCheckpointThread(file)
  await thread.run('passive')
  expect(inLog()).toEqual({ busy: 0, log: 28, checkpointed: 28 })
  await thread.run('restart')
  await thread.close()
  database.exec("insert into line values ('short')")
  expect(inLog()).toEqual({ busy: 0, log: 1, checkpointed: 0 })
  database.close()
})

test('the thread waits neither for a reader nor for another writer', async () => {
  const { database, write, inLog } = openFile()
  write()
  const other = new Database(file)
  other.exec('begin; select * from line')
  write()
  const thread = startCheckpointThread(file)
  await thread.run('passive')
  await thread.run('restart')
  expect(inLog()).toMatchObject({ log: 54, checkpointed: 28 })
  other.exec('rollback; begin immediate')
  await thread.run('restart')
  other.exec('rollback')
  await thread.run('restart')
  database.exec("insert into line values ('short')")
  expect(inLog()).toMatchObject({ log: 1 })
  await thread.close()
  other.close()
  database.close()
})

test('a step that fails, as on a full disk, does not end the thread: a later one copies the log', async () => {
  const { database, write, inLog } = openFile()
  write()
  const log = readFileSync(`${file}-wal`)
  truncateSync(`${file}-wal`, log.length / 2)
  const thread = startCheckpointThread(file)
  await thread.run('passive')
  await thread.run('restart')
  expect(inLog()).toEqual({ busy: 0, log: 28, checkpointed: 0 })
  writeFileSync(`${file}-wal`, log)
  await thread.run('passive')
  expect(inLog()).toEqual({ busy: 0, log: 28, checkpointed: 28 })
  await thread.close()
  database.close()
})

test('a thread that ends rejects, now and later', async () => {
  const broken = join(folder, 'broken.mjs')
  writeFileSync(broken, "throw new Error('no such driver')")
  const thread = startCheckpointThread(file, pathToFileURL(broken))
  await expect(thread.run('passive')).rejects.toThrow('no such driver')
  await expect(thread.run('restart')).rejects.toThrow('no such driver')
  await thread.close()
})

type Step = PromiseWithResolvers<undefined> & { readonly step: CheckpointStep }

/** A thread whose steps end when the test ends them. */
function slowThread() {
  const steps: Step[] = []
  const thread: CheckpointThread = {
    run: async (step) => {
      const begun = { step, ...Promise.withResolvers<undefined>() }
      steps.push(begun)
      await begun.promise
    },
    close: async () => undefined,
  }
  return { steps, thread }
}

/** A checkpoint of a log that is long, and what it does. */
function longLog(options: Pick<LogCheckpointOptions, 'startThread'>) {
  const steps: string[] = []
  let now = 0
  const { ready, close } = createLogCheckpoint({
    ...options,
    pagesToCopy: () => maxPages + 1,
    copyInCommits: () => void steps.push('in commits'),
    copyInThread: () => void steps.push('in the thread'),
    clock: () => now,
    notify: ({ type }) => void steps.push(type),
  })
  const sixteen = (): unknown[] => Array.from({ length: 16 }, ready)
  const pass = (ms: number): void => {
    now += ms
  }
  return { steps, sixteen, ready, close, pass }
}

const nothing = Array.from({ length: 16 }, () => undefined)

test('groups are written while most of the log is copied, and wait for the rest', async () => {
  const { steps, thread } = slowThread()
  const { steps: others, sixteen, ready } = longLog({ startThread: () => thread })

  expect(sixteen()).toEqual(nothing)
  expect(sixteen()).toEqual(nothing)
  expect(steps.map(({ step }) => step)).toEqual(['passive'])
  steps[0]?.resolve(undefined)
  await expect.poll(() => steps.map(({ step }) => step)).toEqual(['passive', 'restart'])
  const held = ready()
  expect(held).toBeInstanceOf(Promise)
  steps[1]?.resolve(undefined)
  await held
  expect(ready()).toBe(undefined)
  expect(others).toEqual([])
})

test('a log that is short is not copied', () => {
  const startThread = () => expect.fail('a thread was started')
  const parts = { copyInCommits: startThread, copyInThread: startThread, notify: startThread }
  const pagesToCopy = (): number => maxPages
  const { ready } = createLogCheckpoint({ ...parts, startThread, pagesToCopy, clock: () => 0 })
  for (let group = 0; group < 16; group += 1) expect(ready()).toBe(undefined)
})

test('when the thread has ended, commits copy the log, no group waits, and another is tried each minute', async () => {
  let databaseFile = join(folder, 'missing.db')
  const { steps, sixteen, close, pass } = longLog({
    startThread: () => startCheckpointThread(databaseFile),
  })
  expect(sixteen()).toEqual(nothing)
  const down = ['in commits', 'checkpoint_down']
  await expect.poll(() => steps).toEqual(down)
  pass(retryMs - 1)
  for (const _ of [1, 2, 3, 4]) expect(sixteen()).toEqual(nothing)
  pass(1)
  expect(sixteen()).toEqual(nothing)
  await close()
  expect(steps).toEqual(down)

  openFile().database.close()
  databaseFile = file
  pass(retryMs)
  sixteen()
  await expect.poll(() => steps.slice(2)).toEqual(['in the thread', 'checkpoint_up'])
  await close()
})

test('the log of a ledger starts over while it is written, and nothing is lost', async () => {
  const url = `sqlite:${file}`
  const store = await openLedger({ url })
  const answer = { statusCode: 200, contentType: 'text/plain', expiresAt: start * 2 }
  const body = randomBytes(1_000_000)
  const ids: PaymentId[] = []
  /** Whether the log is no longer than before: then its beginning was written again. */
  async function write(): Promise<boolean> {
    const before = statSync(`${file}-wal`).size
    const payment = await settled(store, ids.length + 1)
    await store.apply(payment, { type: 'service_started', at: start }, { ...answer, body })
    ids.push(payment.id)
    return statSync(`${file}-wal`).size <= before
  }
  // The thread takes a while to start.
  let startsOver = false
  while (!startsOver && ids.length < 1_000) startsOver = await write()
  expect(startsOver).toBe(true)
  for (let more = 0; more < 20; more += 1) await write()
  await store.close()

  const again = await openLedger({ url })
  const bodies = await Promise.all(ids.map((id) => again.loadAnswer(id, start)))
  expect(bodies.filter((stored) => stored !== undefined && body.equals(stored.body))).toHaveLength(
    ids.length,
  )
  await again.close()
})
