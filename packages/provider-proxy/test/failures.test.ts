import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import {
  type ConnectedChatProvider,
  type ConnectionOptions,
  collectCompletion,
  createOpenAiCompatibleProvider,
  customProfile,
} from '../src/index.ts'
import { chatCall } from './support/call.ts'
import { patience } from './support/patience.ts'
import {
  type Answerer,
  chunk,
  event,
  openEvents,
  type ProviderServer,
  startProviderServer,
} from './support/provider-server.ts'

const open: { stop(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()))
})

async function setUp(
  answer: Answerer,
  options: ConnectionOptions = {},
): Promise<{ server: ProviderServer; provider: ConnectedChatProvider }> {
  const server = await startProviderServer(answer)
  const provider = connect(server.url, options)
  open.push(server)
  return { server, provider }
}

function connect(baseUrl: string, options: ConnectionOptions = {}): ConnectedChatProvider {
  const provider = createOpenAiCompatibleProvider({
    profile: customProfile,
    apiKey: 'sk-secret',
    baseUrl,
    random: () => 0,
    ...options,
    retry: { baseDelay: 1, ...options.retry },
  })
  open.push({ stop: () => provider.close() })
  return provider
}

function fails(status: number, body: unknown, headers: Record<string, string> = {}): Answerer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

function said(message: string, type = 'error'): object {
  return { error: { message, type, code: type } }
}

test.each([
  [400, said('bad'), 'upstream_rejected'],
  [413, said('long'), 'upstream_rejected'],
  [422, said('shape'), 'upstream_rejected'],
  [418, said('teapot'), 'upstream_rejected'],
  [400, said('Your credit balance is too low', 'invalid_request_error'), 'upstream_unavailable'],
  [400, said('You have reached your specified API usage limits'), 'upstream_unavailable'],
  [401, said('key sk-secret is wrong'), 'upstream_unavailable'],
  [402, said('no credits'), 'upstream_unavailable'],
  [403, said('forbidden'), 'upstream_unavailable'],
  [403, said('Input was flagged by moderation'), 'upstream_rejected'],
  [404, said('no such model'), 'upstream_unavailable'],
  [408, said('slow'), 'upstream_timeout'],
  [504, said('slow'), 'upstream_timeout'],
  [500, said('oops'), 'upstream_unavailable'],
  [502, '<html>', 'upstream_unavailable'],
  [301, '', 'upstream_unavailable'],
])('HTTP %d %j becomes %s after one call', async (status, body, code) => {
  const { server, provider } = await setUp(fails(status, body))
  const error = await provider.open(chatCall('hello')).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'UpstreamError', code, status, provider: 'custom' })
  expect(String(error)).not.toMatch(/sk-secret|credit|flagged/)
  expect(server.received).toHaveLength(1)
})

test.each([429, 503, 529])(
  'HTTP %d says that nothing was done: called three times',
  async (status) => {
    const { server, provider } = await setUp(fails(status, said('busy')))
    await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
      code: 'upstream_unavailable',
      status,
    })
    expect(server.received).toHaveLength(3)
  },
)

test('a call that is made again can succeed', async () => {
  const { server, provider } = await setUp((response, request, attempt) => {
    if (attempt === 1) return fails(429, said('busy'), { 'retry-after': '0' })(response, request, 1)
    openEvents(response)
    response.end(chunk({ content: 'a' }, { finish: 'stop' }))
  })
  const stream = await provider.open(chatCall('hello'))
  for await (const one of stream.events) expect(one.type).toMatch(/chunk|finished/)
  expect(server.received).toHaveLength(2)
})

test.each(['60', new Date(Date.now() + 60_000).toUTCString()])(
  'a long Retry-After (%s) is not waited for',
  async (retryAfter) => {
    const { server, provider } = await setUp(
      fails(429, said('busy'), { 'retry-after': retryAfter }),
    )
    await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({ status: 429 })
    expect(server.received).toHaveLength(1)
  },
)

test('a client that leaves ends the waiting for the next attempt', async () => {
  const leaving = new AbortController()
  const { server, provider } = await setUp(fails(429, said('busy')), {
    retry: { baseDelay: 60_000 },
  })
  const opening = provider.open(chatCall('hello', { signal: leaving.signal }))
  await expect.poll(() => server.received.length, patience).toBe(1)
  setTimeout(() => leaving.abort(), 20)
  await expect(opening).rejects.toMatchObject({ code: 'aborted' })
  expect(server.received).toHaveLength(1)
})

/** A port where nothing listens, or where what listens does as it likes with its connections. */
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

test('a refused connection was no execution: tried again, then unavailable', async () => {
  let attempts = 0
  const provider = connect('http://127.0.0.1:1', {
    random: () => {
      attempts += 1
      return 0
    },
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
    status: undefined,
  })
  expect(attempts).toBe(3)
})

test('a connection that breaks after the request was written is never written again', async () => {
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

test('a kept connection that turns out dead is not a reason to write twice', async () => {
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
  for await (const one of stream.events) expect(one).toBeDefined()
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
  })
  expect(requests).toBe(2)
})

test('a connection that never stands is given up and tried again', async () => {
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

test.each([
  ['no first event', (response: Parameters<Answerer>[0]) => openEvents(response)],
  ['no headers', () => undefined],
  [
    'comments alone',
    (response: Parameters<Answerer>[0]) => {
      openEvents(response)
      const comments = setInterval(() => response.write(': processing\n\n'), 10)
      response.once('close', () => clearInterval(comments))
    },
  ],
])('%s in time is a time-out, not repeated', async (_, answer) => {
  const { server, provider } = await setUp(answer, { timeouts: { firstWords: 150 } })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({ code: 'upstream_timeout' })
  expect(server.received).toHaveLength(1)
  await expect.poll(() => server.sockets.size, patience).toBe(0)
})

test('a role alone is no word: the silence after it is thinking', async () => {
  const { provider } = await setUp(
    (response) => {
      openEvents(response)
      response.write(chunk({ role: 'assistant', content: '' }))
      setTimeout(() => response.end(chunk({ content: 'a' }, { finish: 'stop' })), 150)
    },
    { timeouts: { idle: 30 } },
  )
  const types: string[] = []
  const stream = await provider.open(chatCall('hello'))
  for await (const one of stream.events) types.push(one.type)
  expect(types).toEqual(['chunk', 'chunk', 'finished'])
})

test('a role and then nothing is a time-out in the stream', async () => {
  const { provider } = await setUp(
    (response) => {
      openEvents(response)
      response.write(chunk({ role: 'assistant', content: '' }))
    },
    { timeouts: { firstWords: 60 } },
  )
  const stream = await provider.open(chatCall('hello'))
  await expect(collectCompletion(stream)).rejects.toMatchObject({ code: 'upstream_timeout' })
})

test('comments keep an answer alive that has begun', async () => {
  const { provider } = await setUp(
    (response) => {
      openEvents(response)
      response.write(chunk({ content: 'a' }))
      const comments = setInterval(() => response.write(': still here\n\ndata:\n\n'), 40)
      setTimeout(() => {
        clearInterval(comments)
        response.end(chunk({ content: 'b' }, { finish: 'stop' }))
      }, 1000)
    },
    { timeouts: { idle: 700 } },
  )
  const outcome = await collectCompletion(await provider.open(chatCall('hello')))
  expect(outcome.completion(null).choices[0]?.message.content).toBe('ab')
})

test.each([
  ['HTML', 'text/html', '<!doctype html>'],
  ['JSON', 'application/json', '{"choices":[]}'],
  ['an error in JSON', 'application/json', '{"error":{"message":"x"}}'],
  ['an error with a code', 'application/json', '{"error":{"message":"x","code":503}}'],
])('a 200 of %s is no stream: unavailable', async (_, type, body) => {
  const { server, provider } = await setUp((response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(body)
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
  })
  expect(server.received).toHaveLength(1)
})

test.each([
  [402, 'upstream_unavailable'],
  [400, 'upstream_rejected'],
  [429, 'upstream_unavailable'],
])('a 200 whose body says %d is that, and called once', async (code, expected) => {
  const { server, provider } = await setUp((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'x', code } }))
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: expected,
    status: code,
  })
  expect(server.received).toHaveLength(1)
})

test.each([
  ['with no choices', { error: { message: 'x', code: 502 }, choices: [] }],
  [
    'with a finish reason',
    { error: { code: 429 }, choices: [{ index: 0, finish_reason: 'error' }] },
  ],
  ['alone', { error: 'overloaded' }],
])('an error inside a 200, %s, before any content is a failure', async (_, body) => {
  const { server, provider } = await setUp((response) => {
    openEvents(response)
    response.end(`${event(body)}data: [DONE]\n\n`)
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_truncated',
  })
  expect(server.received).toHaveLength(1)
})

test('an empty stream is no answer', async () => {
  const { provider } = await setUp((response) => {
    openEvents(response)
    response.end('data: [DONE]\n\n')
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_truncated',
  })
})

test('an endless error body is read up to its bound', async () => {
  const { server, provider } = await setUp((response) => {
    response.writeHead(500)
    const pour = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', pour)
    pour()
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({ status: 500 })
  await expect.poll(() => server.sockets.size, patience).toBe(0)
})

test('two hundred abandoned answers leave no connection behind', async () => {
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
  await expect.poll(() => server.sockets.size, patience).toBe(0)
})

test('a client that leaves after its answer was complete costs no connection', async () => {
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
    for await (const one of stream.events) expect(one).toBeDefined()
    leaving.abort()
    await expect.poll(() => ended, { timeout: 10_000 }).toBe(round)
    // The end has to arrive here before the connection is free again.
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  expect(server.connections()).toBe(1)
})

test.each([
  ['short', 10, 0],
  // Longer than what waits for a reader: the upstream is paused when its end comes.
  ['long and read late', 300_000, 50],
])('a complete answer, %s, gives its connection back', async (_, length, delay) => {
  const { server, provider } = await setUp((response) => {
    openEvents(response)
    response.end(`${chunk({ content: 'x'.repeat(length) }, { finish: 'stop' })}data: [DONE]\n\n`)
  })
  for (let round = 0; round < 3; round += 1) {
    const stream = await provider.open(chatCall('hello'))
    await new Promise((resolve) => setTimeout(resolve, delay))
    for await (const one of stream.events) expect(one).toBeDefined()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(server.received).toHaveLength(3)
  expect(server.connections()).toBe(1)
})
