import type { Pool, PoolClient } from 'pg'
import { LedgerError } from '../../payment/ledger-error.ts'
import type { Executor, Snapshot } from '../executor.ts'
import { boundValues, noAnswer, type Operation, type Row } from '../queries/query.ts'
import { describePostgresError, isRetryable } from './postgres-error.ts'

const maxAttempts = 5

/** Runs operations on PostgreSQL, each write in a transaction of its own. */
export function createPostgresExecutor(pool: Pool): Executor {
  let isClosed = false
  const connected = async <Result>(
    work: (client: PoolClient) => Promise<Result>,
  ): Promise<Result> => {
    if (isClosed) throw new LedgerError('closed', 'the ledger is closed')
    return withClient(pool, work)
  }
  const alone = <Result>(operation: () => Operation<Result>): Promise<Result> =>
    connected((client) => run(client, operation()))
  return {
    read: alone,
    writeOnce: alone,
    write: (operation) => connected((client) => inTransaction(client, operation)),
    snapshot: async () => {
      if (isClosed) throw new LedgerError('closed', 'the ledger is closed')
      return openSnapshot(await connect(pool))
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      await pool.end()
    },
  }
}

async function run<Result>(client: PoolClient, operation: Operation<Result>): Promise<Result> {
  let step = operation.next(noAnswer)
  while (step.done !== true) {
    const { name, text } = step.value.query
    const values = boundValues(step.value)
    const { rows, rowCount } = await client.query<Row>({ name, text, values })
    step = operation.next({ rows, written: rowCount ?? 0 })
  }
  return step.value
}

async function inTransaction<Result>(
  client: PoolClient,
  operation: () => Operation<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin')
      const result = await run(client, operation())
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback')
      if (attempt >= maxAttempts || !isRetryable(error)) throw error
    }
  }
}

async function withClient<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await connect(pool)
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    const described = describePostgresError(error)
    // A connection that failed may be in any state, so it is closed.
    client.release(described instanceof LedgerError && described.code === 'store_unavailable')
    throw described
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw describePostgresError(error)
  }
}

async function openSnapshot(client: PoolClient): Promise<Snapshot> {
  await client.query('begin isolation level repeatable read read only')
  return {
    read: async (operation) => {
      try {
        return await run(client, operation())
      } catch (error) {
        throw describePostgresError(error)
      }
    },
    close: async () => {
      try {
        await client.query('commit')
        client.release()
      } catch (error) {
        client.release(true)
        throw describePostgresError(error)
      }
    },
  }
}
