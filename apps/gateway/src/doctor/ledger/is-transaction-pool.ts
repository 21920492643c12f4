import { databaseClient } from '../../dependencies/database-client.ts'

/**
 * Whether the address is that of a pool in transaction mode: two open sessions then share one process
 * of the server. A busy pool may use two processes, and is not recognized.
 *
 * @throws {Error} when the database does not respond within 5 seconds.
 */
export async function isTransactionPool(connectionString: string): Promise<boolean> {
  const clients = await Promise.all([1, 2].map(() => databaseClient(connectionString)))
  const processes = new Set<unknown>()
  try {
    for (const client of clients) {
      await client.connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      processes.add(rows[0]?.pid)
    }
    return processes.size < clients.length
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}
