import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { readConfig } from '../../src/config.ts'
import { startConsole } from '../../src/console/start-console.ts'

test('while the console waits for its ledger, a request is answered with 503', async () => {
  const database = createServer().listen(0, '127.0.0.1')
  const asked = once(database, 'connection') as Promise<[Socket]>
  await once(database, 'listening')
  const port = await freePort()
  const parsed = readConfig({
    CONSOLE_PORT: String(port),
    DATABASE_URL: `postgres://console@127.0.0.1:${portOf(database)}/ledger`,
  })
  if (parsed.status === 'invalid') throw new Error(parsed.problems.join(' '))
  const starting = startConsole(parsed.config)
  starting.catch(() => undefined)
  const [socket] = await asked
  const signal = AbortSignal.timeout(5_000)
  const answer = await fetch(`http://127.0.0.1:${port}/payments`, { signal })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await answer.json()).toMatchObject({ error: { code: 'starting' } })
  database.on('connection', (later) => later.destroy())
  socket.destroy()
  await expect(starting).rejects.toThrow()
  database.close()
})

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}
