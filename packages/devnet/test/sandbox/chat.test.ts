import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ pace: { firstTokenMs: 0, tokensPerSecond: 20_000 } })
})

beforeEach(() => sandbox.setFaults([]))

afterAll(() => sandbox.stop())

function post(body: object): Promise<Response> {
  return fetch(`${sandbox.chatBaseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function says(content: unknown, more: object = {}): object {
  return { model: 'm', messages: [{ role: 'user', content }], ...more }
}

type Message = {
  readonly role: string
  readonly content: string | null
  readonly reasoning?: string
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

type Completion = {
  readonly choices: readonly { readonly message: Message; readonly finish_reason: string }[]
  readonly usage?: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly total_tokens: number
    readonly completion_tokens_details?: { readonly reasoning_tokens: number }
  }
}

async function completion(body: object): Promise<Completion> {
  return (await (await post(body)).json()) as Completion
}

async function answer(body: object) {
  const { choices, usage } = await completion(body)
  const [choice] = choices
  if (choice === undefined || usage === undefined) throw new Error('no answer')
  return { ...choice, usage, text: choice.message.content ?? '' }
}

type Chunk = {
  readonly choices: readonly {
    readonly index: number
    readonly delta: { readonly content?: string; readonly reasoning?: string }
    readonly finish_reason: string | null
    readonly logprobs?: object
  }[]
  readonly usage?: Completion['usage']
}

async function events(body: object): Promise<readonly string[]> {
  const text = await (await post({ ...body, stream: true })).text()
  return text.split('\n\n').filter((part) => part !== '')
}

async function chunks(body: object): Promise<readonly Chunk[]> {
  return (await events(body))
    .filter((one) => one.startsWith('data: {'))
    .map((one) => JSON.parse(one.slice(6)) as Chunk)
}

test('the text says that it is a sandbox and that no model ran', async () => {
  const { text, finish_reason: reason, usage } = await answer(says('hello'))
  expect(text).toMatch(/^This is the Farebox sandbox\. No model ran/)
  expect(reason).toBe('stop')
  expect(usage.completion_tokens).toBe(text.match(/\S+/g)?.length)
  expect(usage.completion_tokens).toBeGreaterThanOrEqual(40)
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
})

test('equal requests get equal answers; other words, seeds and choices get others', async () => {
  const first = await answer(says('hello'))
  expect(await answer(says('hello'))).toEqual(first)
  const others = await Promise.all([
    answer(says('goodbye')),
    answer(says('hello', { seed: 1 })),
    answer(says('hello', { seed: 2 })),
  ])
  expect(new Set([first, ...others].map(({ text }) => text)).size).toBe(4)
})

test('a stream carries the same words and the same usage', async () => {
  const body = says('hello', { stream_options: { include_usage: true } })
  const whole = await answer(body)
  const parts = await chunks(body)
  expect(parts.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(whole.text)
  expect(parts.flatMap(({ usage }) => usage ?? [])).toEqual([whole.usage])
  expect((await events(body)).at(-1)).toBe('data: [DONE]')
})

test('usage in a stream is for those who ask', async () => {
  expect((await chunks(says('hello'))).some(({ usage }) => usage !== undefined)).toBe(false)
})

test.each(['max_tokens', 'max_completion_tokens'])('%s cuts the answer', async (field) => {
  const { text, finish_reason: reason, usage } = await answer(says('hello', { [field]: 7 }))
  expect(text.match(/\S+/g)).toHaveLength(7)
  expect([reason, usage.completion_tokens]).toEqual(['length', 7])
})

test('a stop text ends the answer before it', async () => {
  const { text, finish_reason: reason } = await answer(says('hello', { stop: ['zzz', ' ran'] }))
  expect([text, reason]).toEqual(['This is the Farebox sandbox. No model', 'stop'])
})

test('n choices are counted together', async () => {
  const { choices, usage } = await completion(says('hello', { n: 3 }))
  const words = choices.flatMap(({ message }) => message.content?.match(/\S+/g) ?? [])
  expect(choices).toHaveLength(3)
  expect(usage?.completion_tokens).toBe(words.length)
  const parts = await chunks(says('hello', { n: 3 }))
  expect(new Set(parts.flatMap(({ choices: some }) => some.map(({ index }) => index)))).toEqual(
    new Set([0, 1, 2]),
  )
})

test.each([
  ['maker/thinking-1', {}],
  ['deepseek/deepseek-r1', {}],
  ['m', { reasoning_effort: 'low' }],
])('%s %j thinks first', async (model, more) => {
  const { message, usage } = await answer(says('hello', { model, ...more }))
  expect(message.reasoning).toMatch(/pretends to think/)
  expect(usage.completion_tokens_details?.reasoning_tokens).toBe(
    message.reasoning?.match(/\S+/g)?.length,
  )
})

const schema = {
  type: 'object',
  required: ['place', 'days', 'unit', 'tags'],
  properties: {
    place: { type: 'string' },
    days: { type: 'integer', minimum: 1 },
    unit: { enum: ['C', 'F'] },
    tags: { type: 'array', items: { type: 'boolean' }, minItems: 2 },
  },
}
const sample = { place: 'sandbox', days: 1, unit: 'C', tags: [false, false] }
const tools = [
  { type: 'function', function: { name: 'now' } },
  { type: 'function', function: { name: 'weather', parameters: schema } },
]

test.each([
  ['required', 'now', {}],
  [{ type: 'function', function: { name: 'weather' } }, 'weather', sample],
])('a tool that must be called is called: %j', async (toolChoice, name, args) => {
  const {
    message,
    finish_reason: reason,
    usage,
  } = await answer(says('hello', { tools, tool_choice: toolChoice }))
  const [call] = message.tool_calls ?? []
  expect([reason, message.content, call?.function.name]).toEqual(['tool_calls', null, name])
  expect(JSON.parse(call?.function.arguments ?? '')).toEqual(args)
  expect(usage.completion_tokens).toBeLessThanOrEqual(
    name.length + (call?.function.arguments.length ?? 0),
  )
})

test('a tool that may be called is not', async () => {
  expect((await answer(says('hello', { tools }))).message.tool_calls).toBeUndefined()
})

test('JSON is JSON, by a schema where one is given', async () => {
  const object = await answer(says('hello', { response_format: { type: 'json_object' } }))
  expect(JSON.parse(object.text)).toMatchObject({ sandbox: true })
  const format = { type: 'json_schema', json_schema: { name: 'w', schema } }
  expect(JSON.parse((await answer(says('hello', { response_format: format }))).text)).toEqual(
    sample,
  )
})

test('logprobs are those of a rule: certain', async () => {
  const parts = await chunks(says('hello', { logprobs: true, max_tokens: 2 }))
  const probable = parts.flatMap(({ choices }) => choices[0]?.logprobs ?? [])
  expect(probable).toHaveLength(2)
  expect(probable[0]).toMatchObject({ content: [{ token: 'This', logprob: 0 }] })
})

test('no count exceeds the bytes of its text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
      fc.boolean(),
      async (content, isJson) => {
        const asked = content.replaceAll('[[sandbox:', '')
        const format = isJson ? { response_format: { type: 'json_object' } } : {}
        const { text, usage } = await answer(says(asked, format))
        expect(usage.prompt_tokens).toBeLessThanOrEqual(Math.max(1, Buffer.byteLength(asked)))
        expect(usage.completion_tokens).toBeLessThanOrEqual(Buffer.byteLength(text))
      },
    ),
    { numRuns: 50 },
  )
})

test('prompt tokens are counted by a counter that is given', async () => {
  const own = await startSandbox({
    pace: { firstTokenMs: 0, tokensPerSecond: 20_000 },
    countPromptTokens: (messages) => messages.length * 1000,
  })
  const response = await fetch(`${own.chatBaseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(says('hello')),
  })
  expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 1000 } })
  await own.stop()
})

test('another seed of the sandbox gives other answers', async () => {
  const own = await startSandbox({ seed: 'x', pace: { firstTokenMs: 0, tokensPerSecond: 20_000 } })
  const url = `${own.chatBaseUrl}/chat/completions`
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(says('hello')) })
  const { choices } = (await response.json()) as Completion
  expect(choices[0]?.message.content).not.toBe((await answer(says('hello'))).text)
  await own.stop()
})

test.each([
  ['tokens=200', { usage: { completion_tokens: 200 } }],
  ['tokens=3', { usage: { completion_tokens: 3 } }],
  ['usage=12:34', { usage: { prompt_tokens: 12, completion_tokens: 34 } }],
  ['usage=-1:1.5', { usage: { prompt_tokens: -1, completion_tokens: 1.5 } }],
  ['usage=many:null', { usage: { prompt_tokens: 'many', completion_tokens: null } }],
  ['usage=1:1 cost=0.5', { usage: { cost: 0.5 } }],
  ['finish=content_filter', { choices: [{ finish_reason: 'content_filter' }] }],
  ['echo', { choices: [{ message: { content: 'hello there' } }] }],
  ['reasoning=3', { usage: { completion_tokens_details: { reasoning_tokens: 3 } } }],
])('[[sandbox: %s]]', async (instruct, expected) => {
  expect(await completion(says(`[[sandbox: ${instruct}]] hello there`))).toMatchObject(expected)
})

test('no_usage leaves it out', async () => {
  expect((await completion(says('[[sandbox: no_usage]] hello'))).usage).toBeUndefined()
})

test('an instruction in parts of a message, among several, counts', async () => {
  const content = [
    { type: 'text', text: '[[sandbox: tokens=4]]' },
    { type: 'text', text: 'hi [[sandbox: echo]]' },
  ]
  expect((await answer(says(content))).text).toBe('hi')
})

test('only the last message of the user gives instructions', async () => {
  const messages = [
    { role: 'user', content: '[[sandbox: status=500]]' },
    { role: 'assistant', content: '[[sandbox: status=500]]' },
    { role: 'user', content: 'hello' },
  ]
  expect((await post({ model: 'm', messages })).status).toBe(200)
})

test('an unknown instruction is an error that names it', async () => {
  const response = await post(says('[[sandbox: stauts=500]] hello'))
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('stauts')
  expect(() => sandbox.setFaults([{ instruct: 'explode' }])).toThrow('explode')
})

test('status, retry_after and error_type', async () => {
  const response = await post(says('[[sandbox: status=429, retry_after=3, error_type=busy]] hello'))
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3'])
  expect(await response.json()).toMatchObject({ error: { type: 'busy' } })
})

test.each(['close_before_headers', 'close_after_headers', 'cut_after=3'])('%s', async (how) => {
  const content = `[[sandbox: ${how} label=${how.replace(/=.*/, '')}]] hello`
  const call = async () => (await post(says(content, { stream: true }))).text()
  await expect(call()).rejects.toThrow()
  expect(sandbox.requests.find(({ label }) => label === how.replace(/=.*/, ''))?.outcome).toBe(
    'faulted',
  )
})

test.each([
  ['end_after=3', /sandbox\.?"?[^\n]*\n\n$/, 3],
  ['cut_inside_event=3', /"delta":\{"con$/, 3],
  ['error_event_after=2', /"error"/, 2],
  ['garbage_after=2', /data: this is no JSON/, 2],
])('%s', async (how, pattern, tokens) => {
  const label = how.replace(/\W/g, '')
  const content = `[[sandbox: ${how} label=${label}]] hello`
  const text = await (await post(says(content, { stream: true }))).text()
  expect(text).toMatch(pattern)
  const logged = sandbox.requests.find((request) => request.label === label)
  expect(logged?.tokens).toBeGreaterThanOrEqual(tokens)
  expect(logged?.outcome).toBe(how.startsWith('garbage') ? 'complete' : 'faulted')
})

test('chunk_bytes and comments change the packets, not the answer', async () => {
  const plain = await chunks(says('[[sandbox: tokens=5]] hello'))
  const split = says('[[sandbox: tokens=5 chunk_bytes=7 comments=5 first_token_ms=20]] hello')
  const text = (await events(split)).join('\n\n')
  expect(text).toContain(': SANDBOX PROCESSING')
  expect(text.match(/"content":"[^"]+"/g)).toHaveLength(5)
  expect(plain.length).toBeGreaterThan(5)
})

test('faults by rule: for a path, a model and a number of times', async () => {
  sandbox.setFaults([{ instruct: 'status=503', model: 'bad', path: '/chat', times: 2 }])
  const statuses = []
  for (const model of ['bad', 'good', 'bad', 'bad']) {
    statuses.push((await post(says('hello', { model }))).status)
  }
  expect(statuses).toEqual([503, 200, 503, 200])
})

test('faults and the log over HTTP', async () => {
  const set = await fetch(`${sandbox.url}/sandbox/faults`, {
    method: 'POST',
    body: JSON.stringify([{ instruct: 'status=500', times: 1 }]),
  })
  expect(set.status).toBe(200)
  expect((await post(says('[[sandbox: label=remote]] hello'))).status).toBe(500)
  const log: unknown = await (await fetch(`${sandbox.url}/sandbox/requests`)).json()
  expect(log).toContainEqual(expect.objectContaining({ label: 'remote', outcome: 'faulted' }))
  const bad = await fetch(`${sandbox.url}/sandbox/faults`, { method: 'POST', body: '[{}]' })
  expect(bad.status).toBe(400)
})

test('the log counts what reached the model', async () => {
  const content = '[[sandbox: label=counted]] hello'
  await Promise.all([1, 2, 3].map(() => answer(says(content))))
  const logged = sandbox.requests.filter(({ label }) => label === 'counted')
  expect(logged).toHaveLength(3)
  expect(logged.every(({ outcome, tokens }) => outcome === 'complete' && tokens > 0)).toBe(true)
})

test.each([
  ['GET', '/v1/chat/completions', 404],
  ['POST', '/v1/embeddings', 404],
  ['GET', '/images/none.png', 404],
])('%s %s is not there', async (method, path, status) => {
  expect((await fetch(sandbox.url + path, { method })).status).toBe(status)
})
