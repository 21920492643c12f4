import type { Client } from 'pg'

/** A pool makes a session wait until it has a connection for it. */
const limits = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 }

/** A client of PostgreSQL that is not connected yet, and fails after 5 seconds without a response. */
export async function databaseClient(connectionString: string): Promise<Client> {
  // Imported only here: a gateway with SQLite runs without it.
  const { Client } = (await import('pg')).default
  const client = new Client({ connectionString, ...limits })
  // A connection that breaks fails its query; without a listener the event would end the process.
  client.on('error', () => undefined)
  return client
}
