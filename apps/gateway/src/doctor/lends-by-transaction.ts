import pg from 'pg'

/**
 * Whether the address is a pool that lends its connections to transactions: two open sessions then
 * share one process of the server. A busy pool may lend two, and passes.
 */
export async function lendsByTransaction(connectionString: string): Promise<boolean> {
  const clients = [1, 2].map(() => new pg.Client({ connectionString }))
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
