import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type ListenOptions } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDevnet } from '@farebox/devnet'
import { LedgerError } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandProblem } from '../../src/commands/command-problem.ts'
import { startProblem } from '../../src/commands/start-problem.ts'
import { openExistingStore } from '../../src/compose/open-store.ts'
import { readConfig } from '../../src/config.ts'
import { checkLedger } from '../../src/doctor/ledger/check-ledger.ts'
import { runGateway } from '../contract/run-gateway.ts'
import { newSale } from '../support/new-sale.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

let running: TestGateway
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  running = await openGateway({ DATA_DIR: folder })
})
afterAll(async () => {
  await running.stop()
  await rm(folder, { recursive: true, force: true })
})

/** What an operator reads when a second gateway fails to start. */
async function problemOf(environment: Readonly<Record<string, string>>) {
  const read = readConfig(environment)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const error = await openGateway(environment).then(
    async (gateway) => {
      await gateway.stop()
      throw new Error('the gateway started')
    },
    (reason: unknown) => reason,
  )
  return startProblem(error, read.config)
}

/** What an operator reads when a server of the gateway cannot listen. */
async function listenProblem(environment: Readonly<Record<string, string>>, at: ListenOptions) {
  const read = readConfig(environment)
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const error = await new Promise<unknown>((resolve) => {
    createServer()
      .once('error', resolve)
      .listen({ host: '127.0.0.1', port: 0, ...at })
  })
  return startProblem(error, read.config)?.message
}

/** Creates a ledger that a later version has migrated. */
async function migrateLater(file: string): Promise<void> {
  await (await openLedger({ url: `sqlite:${file}` })).close()
  const database = new Sqlite(file)
  database.exec("insert into ledger_migration values ('2999-01-01-later', '2999')")
  database.close()
}

test('a command refuses the ledger of an earlier version, with a way out', async () => {
  const file = join(folder, 'earlier.db')
  await (await openLedger({ url: `sqlite:${file}` })).close()
  const database = new Sqlite(file)
  database.exec('delete from ledger_migration order by name desc limit 1')
  database.close()
  const url = { DATABASE_URL: `sqlite:${file}`, DATA_DIR: folder }
  const error = await openExistingStore(url).catch((reason: unknown) => reason)
  expect(commandProblem(error)).toEqual({
    message: expect.stringMatching(
      /^The ledger cannot be opened: the schema .* To fix it, start the gateway of this version, or /,
    ),
    exitCode: 2,
  })
})

test('a port that is taken is named, with a way out', async () => {
  const { port } = new URL(running.url)
  expect(await problemOf({ PORT: port })).toEqual({
    message: `Port ${port} is taken. Set PORT to another one; PORT=0 picks a free one.`,
    exitCode: 1,
  })
})

test('a port of the metrics that is taken, and a host without an address, are named by their settings', async () => {
  const { port } = new URL(running.url)
  expect(await listenProblem({ METRICS_PORT: port }, { port: Number(port) })).toBe(
    `Port ${port} is taken. Set METRICS_PORT to another one; METRICS_PORT=0 picks a free one.`,
  )
  const host = 'nowhere.invalid'
  expect(await listenProblem({ HOST: host }, { host })).toBe(
    'HOST=nowhere.invalid is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 for all.',
  )
  expect(await listenProblem({}, { host })).toBeUndefined()
})

test('a data folder in use by another gateway is named with its process', async () => {
  expect(await problemOf({ DATA_DIR: folder })).toEqual({
    message: expect.stringMatching(
      /is in use by process \d+\. Stop that process, or set DATA_DIR to another folder\.$/,
    ),
    exitCode: 1,
  })
})

test('a ledger whose payments were made to another treasury is named', async () => {
  const file = join(folder, 'other-treasury.db')
  const store = await openLedger({ url: `sqlite:${file}` })
  await store.claim(newSale())
  await store.close()
  expect(await problemOf({ DATABASE_URL: `sqlite:${file}` })).toEqual({
    message: expect.stringMatching(/^The payments of this ledger were made to 0x1{40}, and the/),
    exitCode: 2,
  })
})

test('a folder that cannot be created is named, where the system says that it is missing', async () => {
  expect((await problemOf({ DATA_DIR: '/proc/farebox/data' }))?.message).toMatch(
    /^DATA_DIR=\/proc\/farebox\/data is not writable \(E\w+\)\./,
  )
})

test('a file in the place of the folder is named', async () => {
  const path = join(folder, 'file')
  await writeFile(path, '')
  expect(await problemOf({ DATA_DIR: path })).toEqual({
    message: `DATA_DIR=${path} is not a folder. Set DATA_DIR to one, or to a path where nothing is.`,
    exitCode: 1,
  })
})

test('a devnet that cannot start is named, with a way out', async () => {
  const read = readConfig({})
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const error = await startDevnet({ anvilPath: '/nonexistent/anvil' }).catch(
    (reason: unknown) => reason,
  )
  expect(startProblem(error, read.config)).toEqual({
    message: expect.stringMatching(/^The devnet cannot start: anvil exited with \d+: /),
    exitCode: 1,
  })
})

test('a ledger of a later version is named, with what runs it, to a start and to doctor', async () => {
  const file = join(folder, 'later.db')
  const DATABASE_URL = `sqlite:${file}`
  await migrateLater(file)
  const version = 'a later version of Farebox has migrated the ledger (2999-01-01-later)'
  const fix = 'run that version, or restore a backup from before'
  expect(await problemOf({ DATABASE_URL })).toEqual({
    message: `The ledger cannot be opened: ${version}. To fix it, ${fix}.`,
    exitCode: 2,
  })
  const read = readConfig({ DATABASE_URL })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  expect(await checkLedger(read.config)).toEqual([
    { verdict: 'wrong', subject: 'database', message: version, fix },
  ])
})

test.each(['ledger export', 'audit', 'refund list'])(
  '%s on a ledger of a later version states the fix, as a start does',
  async (command) => {
    const words = command.split(' ')
    const file = join(folder, `later-${words[0]}.db`)
    const settings = { DATABASE_URL: `sqlite:${file}`, RPC_URL: running.access.rpcUrl }
    await migrateLater(file)
    const { code, stderr } = await runGateway(words, { ...settings, DATA_DIR: folder }).ended
    const fix = 'To fix it, run that version, or restore a backup from before.'
    expect(stderr).toMatch(/^The ledger cannot be opened: a later version of .+\.\n$/)
    expect(stderr).toContain(fix)
    expect(code).toBe(2)
  },
)

test('a backup of a later version is refused before it takes the place of the ledger', async () => {
  const backup = join(folder, 'later-backup.db')
  await migrateLater(backup)
  const files = join(folder, 'restored')
  const { code, stderr } = await runGateway(['ledger', 'restore', backup], { DATA_DIR: files })
    .ended
  expect(stderr).toMatch(/^The ledger cannot be opened: a later version of .+\.\n$/)
  expect(code).toBe(2)
  expect(await readdir(files)).toEqual([])
})

test.each(['ledger export', 'ledger backup copy.sqlite', 'refund list', 'audit', 'console'])(
  '%s does not create a missing ledger',
  async (command) => {
    const DATA_DIR = join(folder, 'none')
    const { code, stdout, stderr } = await runGateway(command.split(' '), { DATA_DIR }).ended
    expect(stderr).toBe(
      `There is no ledger at ${join(DATA_DIR, 'ledger.sqlite')}. Set DATA_DIR or DATABASE_URL to that of the gateway.\n`,
    )
    expect([code, stdout, existsSync(DATA_DIR)]).toEqual([2, '', false])
  },
)

test('a devnet without its keys is a mistake of the configuration, which names the settings', async () => {
  const empty = join(folder, 'empty')
  expect(await problemOf({ RPC_URL: running.access.rpcUrl, DATA_DIR: empty })).toEqual({
    message: `${join(empty, 'devnet.json')} cannot be read. With RPC_URL, set TREASURY_PRIVATE_KEY and RELAYER_PRIVATE_KEY, or DATA_DIR to the folder of that devnet.`,
    exitCode: 2,
  })
})

test.each([
  [{ HOST: '203.0.113.1' }, 1, /^HOST=203\.0\.113\.1 is not an address of this machine\./],
  [
    { DATABASE_URL: 'postgres://u:canarysecret@127.0.0.1:1/x' },
    1,
    /^The ledger cannot be opened: .*ECONNREFUSED 127\.0\.0\.1:1.* Check DATABASE_URL\.$/,
  ],
  [{ OPENAI_API_KEY: 'k', DEFAULT_CHAT_MODEL: 'mistralai/mistral-large' }, 2, /DEFAULT_CHAT_MODEL/],
])('%j: one sentence with the fix', async (environment, exitCode, message) => {
  const problem = await problemOf(environment)
  expect(problem).toMatchObject({ exitCode, message: expect.stringMatching(message) })
  expect(problem?.message).not.toContain('canarysecret')
})

test('a ledger that is a folder or another file: the fix, to a start and to doctor', async () => {
  const junk = join(folder, 'junk.db')
  await writeFile(junk, 'This is not a database, although it has the name of one. '.repeat(20))
  for (const [path, fix] of [
    [folder, 'give this user the file and its folder'],
    [junk, 'restore a backup'],
  ] as const) {
    const settings = { DATABASE_URL: `sqlite:${path}` }
    const problem = await problemOf(settings)
    expect([problem?.exitCode, problem?.message]).toEqual([
      1,
      expect.stringContaining(`. To fix it, ${fix}`),
    ])
    const read = readConfig(settings)
    if (read.status === 'invalid') throw new Error(read.problems.join(' '))
    expect(await checkLedger(read.config)).toMatchObject([
      { verdict: 'wrong', fix: expect.stringMatching(new RegExp(`^${fix}`)) },
    ])
  }
})

test.each([
  [
    'SQLITE_FULL',
    /To fix it, free space on the disk of the ledger, or set DATABASE_URL or DATA_DIR/,
  ],
  ['EACCES', /To fix it, give this user the file and its folder, or set DATABASE_URL or DATA_DIR/],
  ['42501', /To fix it, let the role of DATABASE_URL own the database/],
  ['3D000', /To fix it, create the database, or correct DATABASE_URL\./],
  ['28P01', /Check DATABASE_URL\./],
])('the error %s of a driver has its own fix', (code, message) => {
  const cause = Object.assign(new Error('as the driver says'), { code })
  const error = new LedgerError('store_unavailable', 'as the driver says', { cause })
  expect(commandProblem(error)).toEqual({ message: expect.stringMatching(message), exitCode: 1 })
})

test('without PostgreSQL, doctor asks for a running primary server with a free connection', async () => {
  const read = readConfig({ DATABASE_URL: 'postgres://u@127.0.0.1:1/x' })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  expect(await checkLedger(read.config)).toMatchObject([
    { verdict: 'wrong', fix: expect.stringMatching(/running primary server.*free connection/) },
  ])
})
