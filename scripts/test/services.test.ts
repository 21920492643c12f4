import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../testing/postgres.ts'
import { hasRedis, startRedis } from '../testing/redis.ts'

test.skipIf(!hasPostgres())(
  'a private PostgreSQL responds to a start-up message and stops',
  async () => {
    const server = await startPostgres()
    const { hostname, port } = new URL(server.url)
    // An SSLRequest of the wire protocol; any server responds with one byte.
    const reply = await ask(Number(port), hostname, Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
    expect(['N', 'S']).toContain(reply.toString())

    await server.stop()
    if (process.env['TEST_DATABASE_URL'] === undefined) {
      await expect(ask(Number(port), hostname, Buffer.alloc(0))).rejects.toThrow('ECONNREFUSED')
    }
  },
)

test.skipIf(!hasRedis())('a private Redis responds to PING and stops', async () => {
  const server = await startRedis()
  const { hostname, port } = new URL(server.url)
  const reply = await ask(Number(port), hostname, Buffer.from('PING\r\n'))
  expect(reply.toString()).toBe('+PONG\r\n')

  await server.stop()
  if (process.env['TEST_REDIS_URL'] === undefined) {
    await expect(ask(Number(port), hostname, Buffer.alloc(0))).rejects.toThrow('ECONNREFUSED')
  }
})

async function ask(port: number, host: string, message: Buffer): Promise<Buffer> {
  const socket = connect(port, host)
  await once(socket, 'connect')
  socket.write(message)
  const [reply] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return reply
}
