import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { collectCompletion, UpstreamError } from '../../src/index.ts'
import { defaultTimeouts } from '../../src/transport/timeouts.ts'
import { chatCall } from '../support/call.ts'
import { connectedProviders } from '../support/connected.ts'
import { inSteps, steppedTimers } from '../support/in-steps.ts'
import { chunk, event, openEvents, type Responder } from '../support/provider-server.ts'

const { setUp } = connectedProviders()

afterEach(() => {
  vi.useRealTimers()
})

function fails(status: number, body: unknown, headers: Record<string, string> = {}): Responder {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

function errorBody(message: string, type = 'error'): object {
  return { error: { message, type, code: type } }
}

/** OpenAI's words for a keyword in the schema of a property with this name. */
function inContext(name: string): string {
  return `Invalid schema for response_format 'x': In context=('properties', '${name}'), 'default' is not permitted.`
}

/** An error of a provider behind OpenRouter. */
function relayed(raw: string): object {
  return { error: { message: 'Provider returned error', code: 400, metadata: { raw } } }
}

const unreachable = 'upstream_image_unreachable'

test.each([
  [400, errorBody('bad'), 'upstream_rejected'],
  [413, errorBody('long'), 'upstream_rejected'],
  [422, errorBody('shape'), 'upstream_rejected'],
  // https://github.com/vercel/ai/issues/8857, https://github.com/lobehub/lobehub/issues/15684
  [400, errorBody('Timeout while downloading https://a.example/b.png.'), unreachable],
  [400, errorBody('Wrong.', 'invalid_image_url'), unreachable],
  [
    400,
    errorBody('Unable to download the file. Please verify the URL and try again.'),
    unreachable,
  ],
  [400, errorBody('Cannot fetch content from the provided URL.', 'INVALID_ARGUMENT'), unreachable],
  [500, errorBody('Failed to download multimodal content'), unreachable],
  [400, relayed('{"error":{"message":"Unable to download the file."}}'), unreachable],
  [400, relayed('{"error":{"message":"Incorrect API key provided"}}'), 'upstream_rejected'],
  [400, errorBody("The tool 'invalid_image_url' is unknown"), 'upstream_rejected'],
  [418, errorBody('teapot'), 'upstream_rejected'],
  [400, errorBody('See failed_generation', 'tool_use_failed'), 'upstream_unusable'],
  [400, errorBody('See failed_generation', 'json_validate_failed'), 'upstream_unusable'],
  [400, errorBody('the tool tool_use_failed is not defined'), 'upstream_rejected'],
  [
    400,
    errorBody('Your credit balance is too low', 'invalid_request_error'),
    'upstream_unavailable',
  ],
  [400, errorBody('You have reached your specified API usage limits'), 'upstream_unavailable'],
  [
    400,
    { code: 'invalid', error: 'Incorrect API key provided: sk-secret' },
    'upstream_unavailable',
  ],
  [400, { detail: 'Invalid API Key' }, 'upstream_unavailable'],
  [400, [{ error: { message: 'API key not valid.' } }], 'upstream_unavailable'],
  [400, errorBody("Invalid schema for function 'get_api_key'"), 'upstream_rejected'],
  [400, errorBody(inContext('invalid api key')), 'upstream_rejected'],
  [400, errorBody(inContext("it's no api key")), 'upstream_rejected'],
  [400, errorBody(inContext('my quota')), 'upstream_rejected'],
  [
    400,
    errorBody(inContext('Your credit balance is too low to access the Anthropic API')),
    'upstream_rejected',
  ],
  [400, errorBody('Cannot load https://a.example/billing-quota.png'), 'upstream_rejected'],
  [412, { error: 'Account maker is suspended' }, 'upstream_unavailable'],
  [412, errorBody('precondition'), 'upstream_rejected'],
  [401, errorBody('key sk-secret is wrong'), 'upstream_unavailable'],
  [402, errorBody('no credits'), 'upstream_unavailable'],
  [403, errorBody('forbidden'), 'upstream_unavailable'],
  [403, errorBody('Input was flagged by moderation'), 'upstream_rejected'],
  [404, errorBody('no such model'), 'upstream_unavailable'],
  [408, errorBody('slow'), 'upstream_timeout'],
  [504, errorBody('slow'), 'upstream_timeout'],
  [500, errorBody('oops'), 'upstream_unavailable'],
  [502, '<html>', 'upstream_unavailable'],
  [301, '', 'upstream_unavailable'],
])('HTTP %d %j becomes %s after one call', async (status, body, code) => {
  const { server, provider } = await setUp(fails(status, body))
  const error = await provider.open(chatCall('hello')).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'UpstreamError', code, status, provider: 'custom' })
  expect(String(error)).not.toMatch(/sk-secret|credit|flagged/)
  expect(server.received).toHaveLength(1)
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['GZIP', gzipSync],
])('the error of a body with content-encoding %s is read', async (encoding, compress) => {
  const { server, provider } = await setUp((response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'content-encoding': encoding })
    response.end(compress(JSON.stringify(errorBody('quota', 'insufficient_quota'))))
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({ status: 429 })
  expect(server.received).toHaveLength(1)
})

test('a small body that expands to two million bytes is not read', async () => {
  const { provider } = await setUp((response) => {
    const body = ' '.repeat(2_000_000) + JSON.stringify(errorBody('invalid api key'))
    response.writeHead(400, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(gzipSync(body))
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_rejected',
  })
})

test.each([429, 503, 529])(
  'HTTP %d means that nothing was executed: called three times',
  async (status) => {
    const { server, provider } = await setUp(fails(status, errorBody('busy')))
    await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
      code: 'upstream_unavailable',
      status,
    })
    expect(server.received).toHaveLength(3)
  },
)

test('an empty account reported as HTTP 429 is not retried', async () => {
  const { server, provider } = await setUp(fails(429, errorBody('quota', 'insufficient_quota')))
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({ status: 429 })
  expect(server.received).toHaveLength(1)
})

test('a 413 for too many tokens per minute is a rate limit', async () => {
  const { server, provider } = await setUp(fails(413, errorBody('wait', 'rate_limit_exceeded')))
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
    status: 413,
  })
  expect(server.received).toHaveLength(3)
})

test('a retried call can succeed', async () => {
  const { server, provider } = await setUp((response, request, attempt) => {
    if (attempt === 1)
      return fails(429, errorBody('busy'), { 'retry-after': '0' })(response, request, 1)
    openEvents(response)
    response.end(chunk({ content: 'a' }, { finish: 'stop' }))
  })
  const stream = await provider.open(chatCall('hello'))
  for await (const one of stream.events) expect(one.type).toMatch(/chunk|finished/)
  expect(server.received).toHaveLength(2)
})

test.each(['60', new Date(Date.now() + 60_000).toUTCString()])(
  'a long Retry-After (%s) is not awaited',
  async (retryAfter) => {
    const { server, provider } = await setUp(
      fails(429, errorBody('busy'), { 'retry-after': retryAfter }),
    )
    await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({ status: 429 })
    expect(server.received).toHaveLength(1)
  },
)

test('a client that disconnects ends the wait for the next attempt', async () => {
  const leaving = new AbortController()
  const { server, provider } = await setUp(fails(429, errorBody('busy')), {
    retry: { baseDelayMs: 60_000 },
  })
  const opening = provider.open(chatCall('hello', { signal: leaving.signal }))
  await expect.poll(() => server.received.length).toBe(1)
  setTimeout(() => leaving.abort(), 20)
  await expect(opening).rejects.toMatchObject({ code: 'aborted' })
  expect(server.received).toHaveLength(1)
})

test.each([
  ['no first event', (response: Parameters<Responder>[0]) => openEvents(response)],
  ['no headers', () => undefined],
  [
    'comments alone',
    (response: Parameters<Responder>[0]) => {
      openEvents(response)
      const comments = setInterval(() => response.write(': processing\n\n'), 10)
      response.once('close', () => clearInterval(comments))
    },
  ],
])('%s in time is a timeout, which is not retried', async (_, respond) => {
  vi.useFakeTimers(steppedTimers)
  const { server, provider } = await setUp(respond, { timeouts: { firstToken: 150 } })
  const opening = inSteps(provider.open(chatCall('hello')))
  await expect(opening).rejects.toMatchObject({ code: 'upstream_timeout' })
  expect(server.received).toHaveLength(1)
  await expect.poll(() => server.sockets.size).toBe(0)
})

test("settlement and the wait for the first token fit into the five minutes of Node's fetch", () => {
  const longestSettlement = 30_000
  expect(longestSettlement + defaultTimeouts.firstToken).toBeLessThanOrEqual(300_000)
})

test('a provider that is busy again and again has the time for the first token once', async () => {
  const { server, provider } = await setUp(
    (response) => {
      setTimeout(() => response.writeHead(503).end(), 400)
    },
    { timeouts: { firstToken: 600 } },
  )
  await expect(provider.open(chatCall('hello'))).rejects.toBeInstanceOf(UpstreamError)
  // A third attempt would begin after 800 ms.
  expect(server.received.length).toBeLessThan(3)
})

test('a role is not a token: the model may think after it', async () => {
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

test('a role and then nothing is a timeout', async () => {
  const { provider } = await setUp(
    (response) => {
      openEvents(response)
      response.write(chunk({ role: 'assistant', content: '' }))
    },
    { timeouts: { firstToken: 60 } },
  )
  // On a busy machine the role may come later than that, and opening fails.
  const completion = provider.open(chatCall('hello')).then((stream) => collectCompletion(stream))
  await expect(completion).rejects.toMatchObject({ code: 'upstream_timeout' })
})

test('a call can have less time for its first token, which empty deltas do not extend', async () => {
  const { provider } = await setUp((response) => {
    openEvents(response)
    const deltas = setInterval(() => response.write(chunk({ role: 'assistant', content: '' })), 10)
    response.once('close', () => clearInterval(deltas))
  })
  const call = { ...chatCall('hello'), firstToken: 60 }
  const completion = provider.open(call).then((stream) => collectCompletion(stream))
  await expect(completion).rejects.toMatchObject({ code: 'upstream_timeout' })
})

test('comments keep a response that has begun from timing out', async () => {
  vi.useFakeTimers(steppedTimers)
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
  const stream = await inSteps(provider.open(chatCall('hello')))
  const outcome = await inSteps(collectCompletion(stream))
  expect(outcome.completion(null).choices[0]?.message.content).toBe('ab')
})

test.each([
  ['HTML', 'text/html', '<!doctype html>'],
  ['JSON', 'application/json', '{"choices":[]}'],
  ['an error in JSON', 'application/json', '{"error":{"message":"x"}}'],
  ['an error with a code', 'application/json', '{"error":{"message":"x","code":503}}'],
])('a 200 of %s is not a stream: unavailable', async (_, type, body) => {
  const { server, provider } = await setUp((response) => {
    response.writeHead(200, { 'content-type': type })
    response.end(body)
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_unavailable',
  })
  expect(server.received).toHaveLength(1)
})

test('a page with status 200 is named as what is not an event stream', async () => {
  const { provider } = await setUp((response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html>')
  })
  await expect(provider.open(chatCall('hello'))).rejects.toThrow('(HTTP 200, but no event stream)')
})

test.each([
  [402, 'upstream_unavailable'],
  [400, 'upstream_rejected'],
  [429, 'upstream_unavailable'],
])('a 200 whose body holds code %d is that failure, called once', async (code, expected) => {
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

const unavailable = 'upstream_unavailable'

test.each([
  ['with no choices', { error: { message: 'x', code: 502 }, choices: [] }, unavailable],
  [
    'with a finish reason',
    { error: { code: 429 }, choices: [{ index: 0, finish_reason: 'error' }] },
    unavailable,
  ],
  ['alone', { error: 'overloaded' }, unavailable],
  ['of a timeout', { error: { type: 'timeout_error' } }, 'upstream_timeout'],
  ['of the request', { error: { message: 'x', code: 400 } }, 'upstream_withheld'],
  ['of an image', { error: { message: 'Unable to download the file.' } }, unreachable],
  [
    'of moderation',
    { error: { code: 'data_inspection_failed', message: 'x' } },
    'upstream_withheld',
  ],
  ['of what was written', { error: { code: 'content_filter' } }, 'upstream_withheld'],
  ['of the model', { error: { code: 'tool_use_failed', status_code: 400 } }, 'upstream_unusable'],
  ['of the account', { error: { message: 'insufficient credits', code: 400 } }, unavailable],
])('an error inside a 200, %s, before any content is a failure', async (_, body, code) => {
  const { server, provider } = await setUp((response) => {
    openEvents(response)
    response.end(`${event(body)}data: [DONE]\n\n`)
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code,
  })
  expect(server.received).toHaveLength(1)
})

test('an empty stream is an error', async () => {
  const { provider } = await setUp((response) => {
    openEvents(response)
    response.end('data: [DONE]\n\n')
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({
    code: 'upstream_truncated',
  })
})

test('an endless error body is read up to its limit', async () => {
  const { server, provider } = await setUp((response) => {
    response.writeHead(500)
    const pour = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', pour)
    pour()
  })
  await expect(provider.open(chatCall('hello'))).rejects.toMatchObject({ status: 500 })
  await expect.poll(() => server.sockets.size).toBe(0)
})
