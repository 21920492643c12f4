import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import {
  createOpenAiCompatibleProvider,
  createRunwareProvider,
  customProfile,
} from '../../src/index.ts'
import { chatCall, imageCall } from '../support/call.ts'
import { connectedProviders } from '../support/connected.ts'
import { arrival } from '../support/in-steps.ts'
import { chunk, openEvents } from '../support/provider-server.ts'

const { open, connect, setUp } = connectedProviders()

/** A server that treats its connections as the test defines. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  open.push({
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  return `http://127.0.0.1:${address.port}`
}

test('a refused connection executed nothing: retried, then unavailable', async () => {
  let attempts = 0
  const provider = connect('http://127.0.0.1:1', {
    random: () => {
      attempts += 1
      return 0
    },
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
    message: 'custom could not be reached (ECONNREFUSED)',
    status: undefined,
  })
  expect(attempts).toBe(3)
})

test('the error of a server without TLS names the code', async () => {
  const url = await rawServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad')))
  const provider = connect(url.replace('http:', 'https:'), { retry: { attempts: 1 } })
  const failed = expect(provider.open(chatCall('hello'))).rejects
  await failed.toThrow(/^custom could not be reached \(ERR_SSL_\w+\)$/)
})

test('the error of an image provider that cannot be reached names the code', async () => {
  const images = createRunwareProvider({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1/v1' })
  const failed = expect(images.generate(imageCall())).rejects
  await failed.toThrow('runware could not be reached (ECONNREFUSED)')
  await images.close()
})

test('a request whose connection breaks after it was sent is never sent again', async () => {
  let requests = 0
  const url = await rawServer((socket) => {
    socket.once('data', () => {
      requests += 1
      socket.resetAndDestroy()
    })
  })
  await expect(connect(url).open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
  })
  expect(requests).toBe(1)
})

test('a dead kept-alive connection does not send a request twice', async () => {
  let requests = 0
  const url = await rawServer((socket) => {
    socket.on('data', (bytes) => {
      if (!bytes.includes('POST')) return
      requests += 1
      if (requests > 1) {
        socket.resetAndDestroy()
        return
      }
      const body = chunk({ content: 'a' }, { finish: 'stop' })
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    })
  })
  const provider = connect(url)
  const stream = await provider.open(chatCall('hello'))
  await Array.fromAsync(stream.events)
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
  })
  expect(requests).toBe(2)
})

test('informational responses before the final one are skipped', async () => {
  const { provider } = await setUp((response) => {
    response.writeProcessing()
    response.writeEarlyHints({ link: '</a>; rel=preload' })
    openEvents(response)
    response.end(`${chunk({ content: 'a' }, { finish: 'stop' })}data: [DONE]\n\n`)
  })
  const stream = await provider.open(chatCall('hello'))
  const events = await Array.fromAsync(stream.events)
  expect(events.map(({ type }) => type)).toEqual(['chunk', 'finished'])
})

test('a connection that is never established times out and is retried', async () => {
  const provider = createOpenAiCompatibleProvider({
    profile: customProfile,
    // TEST-NET-1 (RFC 5737): no route answers from there.
    baseUrl: 'http://192.0.2.1',
    timeouts: { connect: 200 },
    retry: { attempts: 1 },
  })
  open.push({ stop: () => provider.close() })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
  })
})

test('no call waits for the end of another: 600 reach the provider at once', async () => {
  const waiting: (() => void)[] = []
  const { provider } = await setUp((response) => {
    waiting.push(() => {
      openEvents(response)
      response.end(`${chunk({ content: 'a' }, { finish: 'stop' })}data: [DONE]\n\n`)
    })
    if (waiting.length === 600) for (const answer of waiting) answer()
  })
  const ends = Array.from({ length: 600 }, async () => {
    const stream = await provider.open(chatCall('hello'))
    return (await Array.fromAsync(stream.events)).at(-1)?.type
  })
  expect(new Set(await Promise.all(ends))).toEqual(new Set(['finished']))
})

test('two hundred abandoned responses leave no connection behind', async () => {
  const { server, provider } = await setUp((response) => {
    openEvents(response)
    response.write(chunk({ content: 'a' }))
  })
  const abandon = async (how: number): Promise<void> => {
    const leaving = new AbortController()
    const stream = await provider.open(chatCall('hello', { signal: leaving.signal }))
    if (how % 2 === 0) {
      for await (const one of stream.events) {
        expect(one.type).toBe('chunk')
        break
      }
    } else {
      leaving.abort()
      const events = stream.events[Symbol.asyncIterator]()
      expect(await events.next()).toMatchObject({ value: { type: 'chunk' } })
      await expect(events.next()).rejects.toMatchObject({ code: 'aborted' })
    }
  }
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 20 }, (_, how) => abandon(how)))
  }
  expect(server.received).toHaveLength(200)
  await expect.poll(() => server.sockets.size).toBe(0)
})

test('a disconnect after a complete response keeps the connection reusable', async () => {
  let ended = 0
  const { server, provider } = await setUp((response) => {
    openEvents(response)
    response.write(`${chunk({ content: 'a' }, { finish: 'stop' })}data: [DONE]\n\n`)
    setTimeout(() => {
      response.end(() => {
        ended += 1
      })
    }, 40)
  })
  for (let round = 1; round <= 3; round += 1) {
    const leaving = new AbortController()
    const stream = await provider.open(chatCall('hello', { signal: leaving.signal }))
    await Array.fromAsync(stream.events)
    leaving.abort()
    await expect.poll(() => ended).toBe(round)
    // The end has to arrive here before the connection is free again.
    await arrival()
  }
  expect(server.connections()).toBe(1)
})

test.each([
  ['short', 10, 0],
  // Longer than what waits for a reader: the upstream is paused when its end comes.
  ['long and read late', 300_000, 50],
])('a complete response, %s, returns its connection to the pool', async (_, length, delay) => {
  const { server, provider } = await setUp((response) => {
    openEvents(response)
    response.end(`${chunk({ content: 'x'.repeat(length) }, { finish: 'stop' })}data: [DONE]\n\n`)
  })
  for (let round = 0; round < 3; round += 1) {
    const stream = await provider.open(chatCall('hello'))
    await new Promise((resolve) => setTimeout(resolve, delay))
    await Array.fromAsync(stream.events)
    await arrival()
  }
  expect(server.received).toHaveLength(3)
  expect(server.connections()).toBe(1)
})
