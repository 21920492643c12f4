import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type Breaker,
  type ConnectedChatProvider,
  type ConnectedImageProvider,
  collectCompletion,
  createBreaker,
  createOpenAiCompatibleProvider,
  createRunwareProvider,
  type HealthChange,
  sandboxProfile,
  UpstreamError,
  withBreaker,
  withImageBreaker,
} from '../../src/index.ts'
import { chatCall, imageCall } from '../support/call.ts'
import { connectedProviders } from '../support/connected.ts'
import { chunk, event, openEvents } from '../support/provider-server.ts'

const { setUp } = connectedProviders()

let now = 0
const clock = () => now
const options = { clock, threshold: 3, firstPauseMs: 1000, maxPauseMs: 3000 }

beforeEach(() => {
  now = 0
})

test('it opens after failures in a row, not before', () => {
  const breaker = createBreaker(options)
  breaker.failed()
  breaker.failed()
  breaker.succeeded()
  breaker.failed()
  breaker.failed()
  expect(breaker.available()).toBe(true)
  breaker.failed()
  expect(breaker.available()).toBe(false)
  expect(breaker.state).toBe('open')
})

function failUntilOpen(breaker: Breaker): void {
  do breaker.failed()
  while (breaker.state === 'closed')
}

test('after its pause the first call probes, and its success closes it', () => {
  const breaker = createBreaker(options)
  failUntilOpen(breaker)
  now = 999
  expect(breaker.available()).toBe(false)
  now = 1000
  expect(breaker.state).toBe('probing')
  expect(breaker.available()).toBe(true)
  breaker.began()
  expect([breaker.available(), breaker.available()]).toEqual([false, false])
  breaker.succeeded()
  expect([breaker.available(), breaker.available()]).toEqual([true, true])
  expect(breaker.state).toBe('closed')
})

test('each failed probe doubles the pause, up to its limit', () => {
  const breaker = createBreaker(options)
  const pauses: number[] = []
  for (let round = 0; round < 4; round += 1) {
    failUntilOpen(breaker)
    const from = now
    while (!breaker.available()) now += 500
    pauses.push(now - from)
  }
  expect(pauses).toEqual([1000, 2000, 3000, 3000])
})

test('a probe without an outcome does not block the next one', () => {
  const breaker = createBreaker(options)
  failUntilOpen(breaker)
  now = 1000
  breaker.began()
  expect(breaker.available()).toBe(false)
  now = 2000
  expect(breaker.available()).toBe(true)
})

test('asking takes no probe, so requests that cannot pay delay no payer', () => {
  const breaker = createBreaker(options)
  failUntilOpen(breaker)
  now = 1000
  const answers = Array.from({ length: 10 }, () => breaker.available())
  expect(answers).toEqual(Array(10).fill(true))
})

let sandbox: Sandbox
let plain: ConnectedChatProvider

beforeAll(async () => {
  sandbox = await startSandbox({ pace: { firstTokenMs: 0, tokensPerSecond: 10_000, imageMs: 0 } })
  plain = createOpenAiCompatibleProvider({
    profile: sandboxProfile,
    baseUrl: sandbox.chatBaseUrl,
    retry: { attempts: 1 },
  })
})

afterAll(async () => {
  await plain.close()
  await sandbox.stop()
})

type Guarded = ReturnType<typeof withBreaker<ConnectedChatProvider>>

async function ask(provider: Guarded, instruct: string, upstreamModel = 'm'): Promise<void> {
  const call = chatCall(`[[sandbox: tokens=5 ${instruct}]] hello`, { upstreamModel })
  try {
    await collectCompletion(await provider.open(call))
  } catch (error) {
    expect(error).toMatchObject({ name: 'UpstreamError' })
  }
}

test.each(['status=500', 'end_after=2', 'close_before_headers', 'error_event_after=2'])(
  'responses that fail with "%s" open it, for every model',
  async (instruct) => {
    const provider = withBreaker(plain, options)
    for (let round = 0; round < 3; round += 1) {
      expect(provider.available('other')).toBe(true)
      await ask(provider, instruct)
    }
    expect(provider.available('other')).toBe(false)
    expect(provider.available()).toBe(false)
    expect(provider.breaker()).toBe('open')
    now = 1000
    expect(provider.available()).toBe(true)
    await ask(provider, '')
    expect([provider.available('m'), provider.available('m')]).toEqual([true, true])
    expect(provider.breaker()).toBe('closed')
  },
)

test.each([401, 402, 403])('HTTP %d opens the breaker of every model', async (status) => {
  const provider = withBreaker(plain, options)
  for (let round = 0; round < 3; round += 1) await ask(provider, `status=${status}`)
  expect(provider.available('other')).toBe(false)
})

test('a missing model opens the breaker of that model alone', async () => {
  const provider = withBreaker(plain, options)
  for (let round = 0; round < 3; round += 1) await ask(provider, 'status=404', 'gone')
  expect(provider.available('gone')).toBe(false)
  expect(provider.available('m')).toBe(true)
})

test('a busy model opens the breaker of that model alone', async () => {
  const provider = withBreaker(plain, options)
  for (let round = 0; round < 3; round += 1) await ask(provider, 'status=429', 'busy')
  expect(provider.available('busy')).toBe(false)
  expect(provider.available('m')).toBe(true)
})

test.each(['status=400', 'status=422'])(
  'a rejected request (%s) does not count as a failure',
  async (how) => {
    const provider = withBreaker(plain, options)
    for (let round = 0; round < 5; round += 1) await ask(provider, how)
    expect(provider.available('m')).toBe(true)
  },
)

test.each([
  ['a call that the model failed to write', 'upstream_unusable', 400],
  ['an image that could not be downloaded', 'upstream_image_unreachable', 500],
] as const)('%s does not count as a failure', async (_, code, status) => {
  const fails = () => Promise.reject(new UpstreamError('no', { code, provider: 'p', status }))
  const provider = withBreaker({ ...plain, open: fails }, options)
  for (let round = 0; round < 5; round += 1) await ask(provider, '')
  expect(provider.available('m')).toBe(true)
})

test('a response that is withheld for what was written does not count as a failure', async () => {
  const { provider: filtering } = await setUp((response) => {
    openEvents(response)
    response.end(
      chunk({ content: 'a' }) + event({ error: { code: 'data_inspection_failed', message: 'x' } }),
    )
  })
  const provider = withBreaker(filtering, options)
  for (let round = 0; round < 5; round += 1) await ask(provider, '')
  expect(provider.available('m')).toBe(true)
})

test('a model that may reason unseen and sends no token in time closes no other model', async () => {
  const provider = withBreaker({ ...plain, open: late }, options)
  const call = { ...chatCall('hello', { upstreamModel: 'thinker' }), mayReasonUnseen: true }
  for (let round = 0; round < 3; round += 1) await expect(provider.open(call)).rejects.toBe(noToken)
  expect(provider.available('thinker')).toBe(false)
  expect(provider.available('m')).toBe(true)
})

test('any other model that sends no token in time opens the breaker of every model', async () => {
  const provider = withBreaker({ ...plain, open: late }, options)
  for (let round = 0; round < 3; round += 1) await ask(provider, '')
  expect(provider.available('other')).toBe(false)
})

const noToken = new UpstreamError('no token', { code: 'upstream_timeout', provider: 'p' })
const late: ConnectedChatProvider['open'] = () => Promise.reject(noToken)

const tools = [{ type: 'function', function: { name: 'write' } }]
const imageAt = (url: string) => ({ type: 'image_url', image_url: { url } })

test.each([
  ['tools', { tools }],
  ['a response format', { response_format: { type: 'json_object' } }],
  ['an image at a URL', { messages: [{ role: 'user', content: [imageAt('https://a.example/')] }] }],
])('a request with %s that sends no token in time closes no other model', async (_, request) => {
  const provider = withBreaker({ ...plain, open: late }, options)
  const call = chatCall('hello', { upstreamModel: 'caller', request })
  for (let round = 0; round < 3; round += 1) await expect(provider.open(call)).rejects.toBe(noToken)
  expect(provider.available('caller')).toBe(false)
  expect(provider.available('m')).toBe(true)
})

test('images that are not made in time close no other model', async () => {
  const slow = new UpstreamError('slow', { code: 'upstream_overtime', provider: 'p' })
  const generate: ConnectedImageProvider['generate'] = () => Promise.reject(slow)
  const provider = withImageBreaker({ name: 'p', generate }, options)
  const call = imageCall({ upstreamModel: 'large' })
  for (let round = 0; round < 3; round += 1)
    await expect(provider.generate(call)).rejects.toBe(slow)
  expect(provider.available('large')).toBe(false)
  expect(provider.available('m')).toBe(true)
})

test('a disconnected client does not count as a failure', async () => {
  const provider = withBreaker(plain, options)
  for (let round = 0; round < 5; round += 1) {
    const leaving = new AbortController()
    const call = chatCall('[[sandbox: stall_after=1]] hello', { signal: leaving.signal })
    const stream = await provider.open(call)
    leaving.abort()
    await expect(collectCompletion(stream)).rejects.toMatchObject({ code: 'aborted' })
  }
  expect(provider.available('m')).toBe(true)
})

test('open itself is never blocked: every paid request is served', async () => {
  const provider = withBreaker(plain, options)
  for (let round = 0; round < 3; round += 1) await ask(provider, 'status=401')
  expect(provider.available()).toBe(false)
  const outcome = await collectCompletion(await provider.open(chatCall('hello')))
  expect(outcome.stoppedBy).toBe('provider')
})

test('image providers have the same breaker', async () => {
  const images = createRunwareProvider({ apiKey: 'k', baseUrl: sandbox.runwareBaseUrl })
  const provider = withImageBreaker(images, options)
  const bad = imageCall({ prompt: '[[sandbox: status=500]] x' })
  for (let round = 0; round < 3; round += 1) {
    await expect(provider.generate(bad)).rejects.toMatchObject({ status: 500 })
  }
  expect(provider.available()).toBe(false)
  now = 1000
  expect(provider.available()).toBe(true)
  await provider.generate(imageCall())
  expect(provider.available()).toBe(true)
  expect(provider.breaker()).toBe('closed')
  await images.close()
})

test('a rejected key opens the breaker at once, and is reported until a call succeeds', async () => {
  const rejected: string[] = []
  const provider = withBreaker(plain, { ...options, onKeyRejected: () => rejected.push('key') })
  expect(provider.isKeyRejected()).toBe(false)
  await ask(provider, 'status=401')
  expect([provider.available(), provider.isKeyRejected(), rejected.length]).toEqual([
    false,
    true,
    1,
  ])
  now = 1000
  await ask(provider, '')
  expect([provider.available(), provider.isKeyRejected()]).toEqual([true, false])
})

/** A provider that answers every call with this error. */
async function failing(status: number, error: object): Promise<ConnectedChatProvider> {
  const { provider } = await setUp((response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error }))
  })
  return provider
}

test.each<[number, object]>([
  [429, { message: 'You exceeded your current quota', code: 'insufficient_quota' }],
  [402, { message: 'Insufficient Balance' }],
  [400, { message: 'Your credit balance is too low to access the Anthropic API.' }],
])(
  'an account without funds (HTTP %d) opens the breaker of every model at once',
  async (...how) => {
    const changes: HealthChange[] = []
    const onChange = (change: HealthChange) => changes.push(change)
    const provider = withBreaker(await failing(...how), { ...options, onChange })
    await ask(provider, '')
    expect(provider.available('other')).toBe(false)
    const reason = `custom is not available: your account there has no funds left (HTTP ${how[0]})`
    expect(changes).toEqual([{ state: 'open', reason }])
  },
)

test.each([
  'Unknown tool choice: insufficient quota',
  "In context=('properties', 'invalid api key'), 'default' is not permitted.",
])('400 %j, which repeats words of the request, closes nothing', async (message) => {
  const provider = withBreaker(await failing(400, { message }), options)
  for (let call = 0; call < 5; call += 1) await ask(provider, '')
  expect([provider.available('m'), provider.isKeyRejected()]).toEqual([true, false])
})

test('a call that is too large for what is left in the account closes nothing', async () => {
  const message = 'This request requires more credits, or fewer max_tokens.'
  const provider = withBreaker(await failing(402, { message }), options)
  await ask(provider, '')
  expect(provider.available('m')).toBe(true)
})

test('a 401 of a provider without a key is an ordinary failure', async () => {
  const provider = withBreaker(plain, { ...options, hasKey: false })
  await ask(provider, 'status=401')
  expect([provider.available(), provider.isKeyRejected()]).toEqual([true, false])
})

function observed(): { provider: Guarded; changes: HealthChange[] } {
  const changes: HealthChange[] = []
  const onChange = (change: HealthChange) => changes.push(change)
  return { provider: withBreaker(plain, { ...options, onChange }), changes }
}

test('a breaker that opens is reported once with its reason, and again when it closes', async () => {
  const { provider, changes } = observed()
  for (let round = 0; round < 2; round += 1) await ask(provider, 'status=500')
  expect(changes).toEqual([])
  await ask(provider, 'status=500')
  now = 1000
  await ask(provider, 'status=500')
  const open = { state: 'open', reason: 'sandbox is not available (HTTP 500)' }
  expect(changes).toEqual([open])
  now = 5000
  await ask(provider, '')
  expect(changes).toEqual([open, { state: 'closed' }])
})

test('the breaker of a model is reported by the name of the model', async () => {
  const { provider, changes } = observed()
  for (let round = 0; round < 4; round += 1) await ask(provider, 'status=404', 'gone')
  await ask(provider, '', 'm')
  expect(changes).toEqual([expect.objectContaining({ state: 'open', model: 'gone' })])
  await ask(provider, '', 'gone')
  expect(changes.slice(1)).toEqual([{ state: 'closed', model: 'gone' }])
})
