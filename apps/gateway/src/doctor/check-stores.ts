import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LedgerError } from '@farebox/ledger'
import { sqlitePath } from '@farebox/ledger/sql'
import pg from 'pg'
import { createClient } from 'redis'
import { ledgerFix } from '../compose/ledger-fix.ts'
import { ledgerUrl, MissingLedgerError, openExistingStore } from '../compose/open-store.ts'
import type { Config } from '../settings.ts'
import { checkRows } from './check-rows.ts'
import { type Finding, finding } from './finding.ts'
import { isTransactionPool } from './is-transaction-pool.ts'

/** Opens the ledger and reads from it. Says whether a start can create one that does not exist. */
export function checkLedger(config: Config): Promise<readonly Finding[]> {
  const subject = 'database'
  const isPostgres = config.DATABASE_URL?.startsWith('postgres') === true
  const fix = isPostgres
    ? 'point DATABASE_URL at a running primary server with a free connection'
    : 'give this user the folder of the file, or set DATABASE_URL'
  return finding({ subject, fix }, async () => {
    try {
      return await readLedger(config)
    } catch (error) {
      return [await describe(error, config)]
    }
  })
}

async function readLedger(config: Config): Promise<readonly Finding[]> {
  const store = await openExistingStore(config)
  try {
    await store.ping()
    const url = ledgerUrl(config)
    const isPostgres = sqlitePath(url) === undefined
    if (isPostgres && (await isTransactionPool(url))) return [transactionPool]
    const rows = await checkRows(store, () => performance.now())
    const message = `${isPostgres ? 'PostgreSQL' : 'SQLite'} is reachable`
    return [{ verdict: 'ok', subject: 'database', message }, ...rows]
  } finally {
    await store.close()
  }
}

async function describe(error: unknown, config: Config): Promise<Finding> {
  if (error instanceof MissingLedgerError) return await checkFirstStart(ledgerUrl(config))
  const fix = error instanceof LedgerError ? ledgerFix(error) : undefined
  if (!(error instanceof LedgerError) || fix === undefined) throw error
  return { verdict: 'wrong', subject: 'database', message: error.message, fix }
}

async function checkFirstStart(url: string): Promise<Finding> {
  const path = sqlitePath(url)
  const problem = path === undefined ? await tableProblem(url) : fileProblem(path)
  const missing =
    path === undefined
      ? 'PostgreSQL has no ledger: the first start creates its tables'
      : `there is no ledger at ${path}: the first start creates it`
  return problem ?? { verdict: 'note', subject: 'database', message: missing }
}

/** Why no table can be created in the database. */
async function tableProblem(connectionString: string): Promise<Finding | undefined> {
  if (await isTransactionPool(connectionString)) return transactionPool
  const limits = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 }
  const client = new pg.Client({ connectionString, ...limits })
  // A connection that breaks fails its query; without a listener the event would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ writes: boolean; creates: boolean | null }>(
      `select current_setting('transaction_read_only') = 'off' as writes,
        has_schema_privilege(current_schema(), 'CREATE') as creates`,
    )
    if (rows[0]?.writes !== true) throw new Error('PostgreSQL is read-only')
    return rows[0].creates === true ? undefined : noPrivilege
  } finally {
    await client.end()
  }
}

const noPrivilege: Finding = {
  verdict: 'wrong',
  subject: 'database',
  message: 'PostgreSQL: the role of DATABASE_URL may not create tables',
  fix: 'let it own the database: ALTER DATABASE … OWNER TO …',
}

/** Why no file can be created at the path, with the folders that are missing. */
function fileProblem(path: string): Finding | undefined {
  let folder = dirname(resolve(path))
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch {
    const fix = 'give this user the folder, or set DATABASE_URL or DATA_DIR to another place'
    return { verdict: 'wrong', subject: 'database', message: `${folder} cannot be written`, fix }
  }
}

const transactionPool: Finding = {
  verdict: 'wrong',
  subject: 'database',
  message:
    'DATABASE_URL is a pool in transaction mode: prepared statements and durability need a session',
  fix: 'use the address of PostgreSQL itself, or a pool in session mode',
}

/** Pings Redis, if it is configured. */
export function checkRedis({ REDIS_URL: url }: Config): Promise<readonly Finding[]> {
  const subject = 'redis'
  return finding({ subject, fix: 'start Redis, or correct REDIS_URL' }, async () => {
    if (url === undefined) {
      return [
        {
          verdict: 'note',
          subject,
          message: 'not configured: each replica counts requests separately',
        },
      ]
    }
    const redis = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 5_000 } })
    // The same error rejects the command.
    redis.on('error', () => undefined)
    try {
      await Promise.race([redis.connect().then(() => redis.ping()), late()])
      return [{ verdict: 'ok', subject, message: 'Redis is reachable' }]
    } finally {
      if (redis.isOpen) redis.destroy()
    }
  })
}

async function late(): Promise<never> {
  await sleep(10_000, undefined, { ref: false })
  throw new DOMException('Redis did not respond', 'TimeoutError')
}
