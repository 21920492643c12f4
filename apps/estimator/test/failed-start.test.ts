import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createLogger } from '@farebox/http/log'
import { expect, test } from 'vitest'
import { freePort } from '../../../scripts/testing/free-port.ts'
import { readConfig } from '../src/config.ts'
import { startEstimator } from '../src/start-estimator.ts'

test('a start that fails closes its connection to Redis', async () => {
  const port = await freePort()
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      socket.write('+OK\r\n'.repeat(bytes.toString().match(/^\*/gm)?.length ?? 0))
    })
    socket.on('error', () => undefined)
  }).listen(port, '127.0.0.1')
  const connected = once(server, 'connection') as Promise<[Socket]>
  const read = readConfig({ PORT: String(port), REDIS_URL: `redis://127.0.0.1:${port}` })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  await expect(
    startEstimator({ ...read.values, HOST: '127.0.0.1' }, createLogger('silent')),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const [socket] = await connected
  if (!socket.closed) await once(socket, 'close')
  server.close()
})
