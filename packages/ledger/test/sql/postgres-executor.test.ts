import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Pool } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPostgresExecutor } from '../../src/sql/postgres/postgres-executor.ts'
import type { Operation } from '../../src/sql/queries/query.ts'

/** Needs no password, is ready for queries, and answers none. */
const ready = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I')

let server: Server
let pool: Pool
const sockets: Socket[] = []
beforeEach(async () => {
  server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(ready))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  pool = new Pool({ connectionString: `postgres://user@127.0.0.1:${port}/name`, max: 2 })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.close()
})

function* oneRow(): Operation<void> {
  yield { query: { name: 'one', text: 'select 1', parameters: [] }, values: {} }
}

test.each(['read', 'write', 'writeOnce', 'snapshot'] as const)(
  'a server that hangs is unavailable to a %s, and its connections are given up',
  async (method) => {
    const executor = createPostgresExecutor(pool, 100)
    const calls = [1, 2, 3, 4].map(async () => {
      await (method === 'snapshot' ? executor.snapshot() : executor[method](oneRow))
    })
    const ended = await Promise.allSettled(calls)
    expect(ended).toEqual(
      ended.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'store_unavailable' }),
      })),
    )
    expect(sockets).toHaveLength(4)
    await executor.close()
    expect(pool.totalCount).toBe(0)
  },
)
