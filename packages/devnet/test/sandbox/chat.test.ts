import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox.ts'
import { type Completion, chatClient, chatRequest } from './chat-client.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ pace: { firstTokenMs: 0, tokensPerSecond: 20_000 } })
})

beforeEach(() => sandbox.setFaults([]))

afterAll(() => sandbox.stop())

const { chunks, completion, events, firstChoice, post } = chatClient(() => sandbox.chatBaseUrl)

test('the text states that it comes from a sandbox and that no model ran', async () => {
  const { text, finish_reason: reason, usage } = await firstChoice(chatRequest('hello'))
  expect(text).toMatch(/^This is the Farebox sandbox\. No model ran/)
  expect(reason).toBe('stop')
  expect(usage.completion_tokens).toBe(text.match(/\S+/g)?.length)
  expect(usage.completion_tokens).toBeGreaterThanOrEqual(40)
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
})

test('equal requests get equal completions; other texts, seeds and choices get different ones', async () => {
  const first = await firstChoice(chatRequest('hello'))
  expect(await firstChoice(chatRequest('hello'))).toEqual(first)
  const others = await Promise.all([
    firstChoice(chatRequest('goodbye')),
    firstChoice(chatRequest('hello', { seed: 1 })),
    firstChoice(chatRequest('hello', { seed: 2 })),
  ])
  expect(new Set([first, ...others].map(({ text }) => text)).size).toBe(4)
})

test('no sentence is said twice in an answer of the usual length', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const { text } = await firstChoice(chatRequest('hello', { seed }))
    const sentences = text.split(/(?<=\.) /)
    expect(sentences.length).toBeGreaterThan(3)
    expect(new Set(sentences).size).toBe(sentences.length)
  }
})

test('a stream has the same text and the same usage', async () => {
  const body = chatRequest('hello', { stream_options: { include_usage: true } })
  const whole = await firstChoice(body)
  const parts = await chunks(body)
  expect(parts.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(whole.text)
  expect(parts.flatMap(({ usage }) => usage ?? [])).toEqual([whole.usage])
  expect((await events(body)).at(-1)).toBe('data: [DONE]')
})

const tool = { type: 'function', function: { name: 'note', parameters: { type: 'object' } } }

test.each([
  ['spaces', chatRequest(' '.repeat(100_000))],
  ['instructions without an end', chatRequest('[[sandbox:'.repeat(60_000))],
  [
    'demands without a tool',
    { messages: [{ role: 'system', content: 'must '.repeat(60_000) }], tools: [tool] },
  ],
])('%s take linear time; quadratic time would be minutes', { timeout: 15_000 }, async (_, body) => {
  expect((await completion(body)).choices).toHaveLength(1)
})

test('an idle connection is kept for a minute, so that a busy process can reuse it', async () => {
  const { headers } = await post(chatRequest('hello'))
  expect(headers.get('keep-alive')).toBe('timeout=60')
})

test('a stream includes usage only on request', async () => {
  expect((await chunks(chatRequest('hello'))).some(({ usage }) => usage !== undefined)).toBe(false)
})

test.each(['max_tokens', 'max_completion_tokens'])('%s limits the completion', async (field) => {
  const {
    text,
    finish_reason: reason,
    usage,
  } = await firstChoice(chatRequest('hello', { [field]: 7 }))
  expect(text.match(/\S+/g)).toHaveLength(7)
  expect([reason, usage.completion_tokens]).toEqual(['length', 7])
})

test('the completion ends before a stop sequence', async () => {
  const { text, finish_reason: reason } = await firstChoice(
    chatRequest('hello', { stop: ['zzz', ' ran'] }),
  )
  expect([text, reason]).toEqual(['This is the Farebox sandbox. No model', 'stop'])
})

test('usage counts all n choices', async () => {
  const { choices, usage } = await completion(chatRequest('hello', { n: 3 }))
  const words = choices.flatMap(({ message }) => message.content?.match(/\S+/g) ?? [])
  expect(choices).toHaveLength(3)
  expect(usage?.completion_tokens).toBe(words.length)
  const parts = await chunks(chatRequest('hello', { n: 3 }))
  expect(new Set(parts.flatMap(({ choices: some }) => some.map(({ index }) => index)))).toEqual(
    new Set([0, 1, 2]),
  )
})

test('logprobs are certain, since the text follows a rule', async () => {
  const parts = await chunks(chatRequest('hello', { logprobs: true, max_tokens: 2 }))
  const probable = parts.flatMap(({ choices }) => choices[0]?.logprobs ?? [])
  expect(probable).toHaveLength(2)
  const certain = { token: 'This', logprob: 0, bytes: [84, 104, 105, 115] }
  expect(probable[0]).toEqual({ content: [{ ...certain, top_logprobs: [] }] })
  const request = chatRequest('hello', { logprobs: true, top_logprobs: 2, max_tokens: 1 })
  const [withTop] = (await chunks(request)).flatMap(({ choices }) => choices[0]?.logprobs ?? [])
  expect(withTop).toEqual({ content: [{ ...certain, top_logprobs: [certain] }] })
})

test('a count never exceeds the bytes of its text', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
      fc.boolean(),
      async (content, isJson) => {
        const asked = content.replaceAll('[[sandbox:', '')
        const format = isJson ? { response_format: { type: 'json_object' } } : {}
        const { text, usage } = await firstChoice(chatRequest(asked, format))
        expect(usage.prompt_tokens).toBeLessThanOrEqual(Math.max(1, Buffer.byteLength(asked)))
        expect(usage.completion_tokens).toBeLessThanOrEqual(Buffer.byteLength(text))
      },
    ),
    { numRuns: 50 },
  )
})

test('countPromptTokens replaces the counter of prompt tokens', async () => {
  const own = await startSandbox({
    pace: { firstTokenMs: 0, tokensPerSecond: 20_000 },
    countPromptTokens: (messages) => messages.length * 1000,
  })
  const response = await fetch(`${own.chatBaseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(chatRequest('hello')),
  })
  expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 1000 } })
  await own.stop()
})

test('another seed of the sandbox gives different completions', async () => {
  const own = await startSandbox({ seed: 'x', pace: { firstTokenMs: 0, tokensPerSecond: 20_000 } })
  const url = `${own.chatBaseUrl}/chat/completions`
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(chatRequest('hello')) })
  const { choices } = (await response.json()) as Completion
  expect(choices[0]?.message.content).not.toBe((await firstChoice(chatRequest('hello'))).text)
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
  expect(await completion(chatRequest(`[[sandbox: ${instruct}]] hello there`))).toMatchObject(
    expected,
  )
})

test('no_usage omits the usage', async () => {
  expect((await completion(chatRequest('[[sandbox: no_usage]] hello'))).usage).toBeUndefined()
})

test('reads instructions from all parts of a message', async () => {
  const content = [
    { type: 'text', text: '[[sandbox: tokens=4]]' },
    { type: 'text', text: 'hi [[sandbox: echo]]' },
  ]
  expect((await firstChoice(chatRequest(content))).text).toBe('hi')
})

test('reads instructions only from the last user message', async () => {
  const messages = [
    { role: 'user', content: '[[sandbox: status=500]]' },
    { role: 'assistant', content: '[[sandbox: status=500]]' },
    { role: 'user', content: 'hello' },
  ]
  expect((await post({ model: 'm', messages })).status).toBe(200)
})

test('the error names an unknown instruction', async () => {
  const response = await post(chatRequest('[[sandbox: stauts=500]] hello'))
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('stauts')
  expect(() => sandbox.setFaults([{ instruct: 'explode' }])).toThrow('explode')
})

test('status, retry_after and error_type', async () => {
  const response = await post(
    chatRequest('[[sandbox: status=429, retry_after=3, error_type=busy]] hello'),
  )
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3'])
  expect(await response.json()).toMatchObject({ error: { type: 'busy' } })
})

test.each(['close_before_headers', 'close_after_headers', 'cut_after=3'])('%s', async (how) => {
  const content = `[[sandbox: ${how} label=${how.replace(/=.*/, '')}]] hello`
  const call = async () => (await post(chatRequest(content, { stream: true }))).text()
  await expect(call()).rejects.toThrow()
  expect(sandbox.requests.find(({ label }) => label === how.replace(/=.*/, ''))?.outcome).toBe(
    'faulted',
  )
})

test.each([
  ['end_after=3', /sandbox\.?"?[^\n]*\n\n$/, 3],
  ['cut_inside_event=3', /"delta":\{"con$/, 3],
  ['error_event_after=2', /"error"/, 2],
  ['garbage_after=2', /data: this is not JSON/, 2],
])('%s', async (how, pattern, tokens) => {
  const label = how.replace(/\W/g, '')
  const content = `[[sandbox: ${how} label=${label}]] hello`
  const text = await (await post(chatRequest(content, { stream: true }))).text()
  expect(text).toMatch(pattern)
  const logged = sandbox.requests.find((request) => request.label === label)
  expect(logged?.tokens).toBeGreaterThanOrEqual(tokens)
  expect(logged?.outcome).toBe(how.startsWith('garbage') ? 'complete' : 'faulted')
})

test('chunk_bytes and comments change the packets, not the completion', async () => {
  const plain = chatRequest('[[sandbox: tokens=5]] hello')
  const split = chatRequest(
    '[[sandbox: tokens=5 chunk_bytes=7 comments=5 first_token_ms=20]] hello',
  )
  const textOf = async (body: object): Promise<string> =>
    (await chunks(body)).map(({ choices }) => choices[0]?.delta.content ?? '').join('')
  expect(await textOf(split)).toBe(await textOf(plain))
  expect(await events(split)).toContain(': SANDBOX PROCESSING')
  expect(await events(plain)).not.toContain(': SANDBOX PROCESSING')
})

test('faults by rule: for a path, a model and a number of times', async () => {
  sandbox.setFaults([{ instruct: 'status=503', model: 'bad', path: '/chat', times: 2 }])
  const statuses = []
  for (const model of ['bad', 'good', 'bad', 'bad']) {
    statuses.push((await post(chatRequest('hello', { model }))).status)
  }
  expect(statuses).toEqual([503, 200, 503, 200])
})

test('faults and the log over HTTP', async () => {
  const set = await fetch(`${sandbox.url}/sandbox/faults`, {
    method: 'POST',
    body: JSON.stringify([{ instruct: 'status=500', times: 1 }]),
  })
  expect(set.status).toBe(200)
  expect((await post(chatRequest('[[sandbox: label=remote]] hello'))).status).toBe(500)
  const log: unknown = await (await fetch(`${sandbox.url}/sandbox/requests`)).json()
  expect(log).toContainEqual(expect.objectContaining({ label: 'remote', outcome: 'faulted' }))
  const bad = await fetch(`${sandbox.url}/sandbox/faults`, { method: 'POST', body: '[{}]' })
  expect(bad.status).toBe(400)
})

test('the log contains every request', async () => {
  const content = '[[sandbox: label=counted]] hello'
  await Promise.all([1, 2, 3].map(() => firstChoice(chatRequest(content))))
  const logged = sandbox.requests.filter(({ label }) => label === 'counted')
  expect(logged).toHaveLength(3)
  expect(logged.every(({ outcome, tokens }) => outcome === 'complete' && tokens > 0)).toBe(true)
})

test.each([
  ['GET', '/v1/chat/completions', 404],
  ['POST', '/v1/embeddings', 404],
  ['GET', '/images/none.png', 404],
])('%s %s is not found', async (method, path, status) => {
  expect((await fetch(sandbox.url + path, { method })).status).toBe(status)
})
