import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { LedgerError } from '../../payment/ledger-error.ts'
import type { Executor, Snapshot } from '../executor.ts'
import { boundValues, noAnswer, type Operation, type Row, type SqlValue } from '../queries/query.ts'
import { describePostgresError, isRetryable } from './postgres-error.ts'

const maxAttempts = 5
/** More than the server takes for a statement. */
const maxAnswerMs = 20_000

/**
 * Runs operations on PostgreSQL, each write in its own transaction. A server that hangs, or that
 * the network lost, is given up after `answerMs`: otherwise its connections would be waited for.
 */
export function createPostgresExecutor(pool: Pool, answerMs: number = maxAnswerMs): Executor {
  let isClosed = false
  const queriesOf = (client: PoolClient): RunQuery => {
    return async (query) => {
      const limited: LimitedQuery = { ...query, query_timeout: answerMs }
      return await client.query<Row>(limited)
    }
  }
  const connected = async <Result>(
    work: (client: PoolClient) => Promise<Result>,
  ): Promise<Result> => {
    if (isClosed) throw new LedgerError('closed', 'the ledger is closed')
    return withClient(pool, work)
  }
  const alone = <Result>(operation: () => Operation<Result>): Promise<Result> =>
    connected((client) => run(queriesOf(client), operation()))
  return {
    read: alone,
    writeOnce: alone,
    write: (operation) => connected((client) => inTransaction(queriesOf(client), operation)),
    snapshot: async () => {
      if (isClosed) throw new LedgerError('closed', 'the ledger is closed')
      const client = await connect(pool)
      return openSnapshot(client, queriesOf(client))
    },
    close: async () => {
      if (isClosed) return
      isClosed = true
      await pool.end()
    },
  }
}

/** `pg` reads the limit of a query too, which its types do not have. */
type LimitedQuery = QueryConfig<SqlValue[]> & { readonly query_timeout: number }

type RunQuery = (query: QueryConfig<SqlValue[]>) => Promise<QueryResult<Row>>

async function run<Result>(query: RunQuery, operation: Operation<Result>): Promise<Result> {
  let step = operation.next(noAnswer)
  while (step.done !== true) {
    const { name, text } = step.value.query
    const { rows, rowCount } = await query({ name, text, values: boundValues(step.value) })
    step = operation.next({ rows, written: rowCount ?? 0 })
  }
  return step.value
}

async function inTransaction<Result>(
  query: RunQuery,
  operation: () => Operation<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await query({ text: 'begin' })
      const result = await run(query, operation())
      await query({ text: 'commit' })
      return result
    } catch (error) {
      const canRetry = isRetryable(error)
      // The connection is closed, and the transaction ends with it.
      if (!canRetry && isUnavailable(describePostgresError(error))) throw error
      await query({ text: 'rollback' })
      if (attempt >= maxAttempts || !canRetry) throw error
    }
  }
}

function isUnavailable(error: Error): boolean {
  return error instanceof LedgerError && error.code === 'store_unavailable'
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
    client.release(isUnavailable(described))
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

async function openSnapshot(client: PoolClient, query: RunQuery): Promise<Snapshot> {
  try {
    await query({ text: 'begin isolation level repeatable read read only' })
  } catch (error) {
    client.release(true)
    throw describePostgresError(error)
  }
  return {
    read: async (operation) => {
      try {
        return await run(query, operation())
      } catch (error) {
        throw describePostgresError(error)
      }
    },
    close: async () => {
      try {
        await query({ text: 'commit' })
        client.release()
      } catch (error) {
        client.release(true)
        throw describePostgresError(error)
      }
    },
  }
}
