import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { readConfig } from '../../src/config.ts'
import { checkRedis } from '../../src/doctor/check-redis.ts'

test('the connection to a Redis that is not ready is closed', async () => {
  const port = await freePort()
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      const [, ...commands] = bytes.toString().split(/^\*/m)
      for (const command of commands) {
        socket.write(command.includes('PING') ? '-LOADING Redis is loading\r\n' : '+OK\r\n')
      }
    })
    socket.on('error', () => undefined)
  }).listen(port, '127.0.0.1')
  const connected = once(server, 'connection') as Promise<[Socket]>
  const read = readConfig({ REDIS_URL: `redis://127.0.0.1:${port}` })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const [found] = await checkRedis(read.config)
  expect(found).toMatchObject({ verdict: 'wrong', subject: 'redis' })
  const [socket] = await connected
  if (!socket.closed) await once(socket, 'close')
  server.close()
})
