import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox.ts'
import { chatClient, chatRequest } from './chat-client.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ pace: { firstTokenMs: 0, tokensPerSecond: 20_000 } })
})

afterAll(() => sandbox.stop())

const { chunks, completion, firstChoice, post } = chatClient(() => sandbox.chatBaseUrl)

test.each([
  ['maker/thinking-1', {}],
  ['deepseek/deepseek-r1', {}],
  ['m', { reasoning_effort: 'low' }],
])('%s %j reasons first', async (model, more) => {
  const { message, usage } = await firstChoice(chatRequest('hello', { model, ...more }))
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
  } = await firstChoice(chatRequest('hello', { tools, tool_choice: toolChoice }))
  const [call] = message.tool_calls ?? []
  expect([reason, message.content, call?.function.name]).toEqual(['tool_calls', null, name])
  expect(JSON.parse(call?.function.arguments ?? '')).toEqual(args)
  expect(usage.completion_tokens).toBeLessThanOrEqual(
    name.length + (call?.function.arguments.length ?? 0),
  )
})

test('an optional tool that the text does not name is not called', async () => {
  expect((await firstChoice(chatRequest('hello', { tools }))).message.tool_calls).toBeUndefined()
})

const askWeather = 'What is the weather, and for 3 days?'

test('an optional tool is called when the text names it, with the numbers of the text', async () => {
  const { message } = await firstChoice(chatRequest(askWeather, { tools }))
  const calls = message.tool_calls ?? []
  expect(calls.map(({ function: { name } }) => name)).toEqual(['weather'])
  expect(JSON.parse(calls[0]?.function.arguments ?? '')).toEqual({ ...sample, days: 3 })
  const none = await firstChoice(chatRequest(askWeather, { tools, tool_choice: 'none' }))
  expect(none.message.tool_calls).toBeUndefined()
})

test('the only tool is called when the system message demands it', async () => {
  const messages = [
    { role: 'system', content: 'You must ALWAYS call the now function.' },
    { role: 'user', content: 'hello' },
  ]
  const names = async (given: readonly object[]) => {
    const { message } = await firstChoice({ model: 'm', messages, tools: given })
    return message.tool_calls?.map(({ function: { name } }) => name)
  }
  expect(await names(tools.slice(0, 1))).toEqual(['now'])
  expect(await names(tools)).toBeUndefined()
})

test('two tools that the text names are called at once, unless that is forbidden', async () => {
  const two = [...tools, { type: 'function', function: { name: 'getTime' } }]
  const names = async (more: object) => {
    const asked = chatRequest('Weather and time?', { tools: two, ...more })
    return (await firstChoice(asked)).message.tool_calls?.map(({ function: { name } }) => name)
  }
  expect(await names({})).toEqual(['weather', 'getTime'])
  expect(await names({ parallel_tool_calls: false })).toEqual(['weather'])
})

test.each([askWeather, 'hello [[sandbox: tool]]'])(
  'once the tools have answered, the model answers as text: %s',
  async (content) => {
    const asked = { role: 'user', content }
    const first = await firstChoice({ model: 'm', messages: [asked], tools })
    const [call] = first.message.tool_calls ?? []
    const result = { role: 'tool', tool_call_id: call?.id, content: '25 degrees' }
    const reminder = { role: 'user', content: 'Be brief about the weather.' }
    for (const messages of [
      [asked, first.message, result],
      [asked, first.message, result, reminder],
    ]) {
      const { message, text } = await firstChoice({ model: 'm', messages, tools })
      expect(message.tool_calls).toBeUndefined()
      expect(text).toContain('The tools answered: 25 degrees.')
    }
  },
)

test('where a call is demanded each time, tools that have not answered are called next', async () => {
  const messages: object[] = [{ role: 'user', content: askWeather }]
  const names: unknown[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    const body = { model: 'm', messages, tools, tool_choice: 'required' }
    const { message } = await firstChoice(body)
    const [call] = message.tool_calls ?? []
    names.push(call?.function.name)
    messages.push(message, { role: 'tool', tool_call_id: call?.id, content: 'seen' })
  }
  expect(names).toEqual(['weather', 'now', 'now'])
})

test('citations and pictures come next to the text, whole and streamed', async () => {
  const body = chatRequest('hello [[sandbox: citations=2 pictures=1]]')
  const { message, text } = await firstChoice(body)
  const { annotations = [], images = [] } = message
  const [first, second] = annotations.map(({ url_citation }) => url_citation)
  expect(text.slice(first?.start_index, first?.end_index)).toBe('This is the Farebox sandbox.')
  expect(second?.start_index).toBe(first?.end_index)
  expect(images[0]?.image_url.url).toMatch(/^data:image\/png;base64,iVBOR/)
  const deltas = (await chunks(body)).map(({ choices }) => choices[0]?.delta)
  expect(deltas.flatMap((delta) => delta?.annotations ?? [])).toEqual(annotations)
  expect(deltas.flatMap((delta) => delta?.images ?? [])).toEqual(images)
})

test('reasoning is signed, whole and streamed, and is taken back only as it was', async () => {
  const body = chatRequest('hello', { reasoning_effort: 'low' })
  const { message } = await firstChoice(body)
  const [step] = message.reasoning_details ?? []
  expect(step).toMatchObject({ type: 'reasoning.text', text: message.reasoning })
  const pieces = (await chunks(body)).flatMap(
    ({ choices }) => choices[0]?.delta.reasoning_details ?? [],
  )
  expect(pieces.map(({ text = '' }) => text).join('')).toBe(message.reasoning)
  expect(pieces.at(-1)?.signature).toBe(step?.signature)
  const status = async (details: readonly object[]) => {
    const turn = { ...message, reasoning_details: details }
    const next = { role: 'user', content: 'hello' }
    return (await post({ model: 'm', messages: [next, turn, next] })).status
  }
  expect(await status([step ?? {}])).toBe(200)
  expect(await status(pieces)).toBe(200)
  expect(await status([{ ...step, text: 'changed' }])).toBe(400)
})

test('answers have the fields of those of OpenAI today', async () => {
  expect(await completion(chatRequest('hello'))).toMatchObject({
    system_fingerprint: 'fp_sandbox',
    service_tier: 'default',
    choices: [{ message: { refusal: null, annotations: [] }, logprobs: null }],
  })
  for (const chunk of await chunks(chatRequest('hello'))) {
    expect(chunk).toMatchObject({ system_fingerprint: 'fp_sandbox', choices: [{ logprobs: null }] })
  }
})

test('JSON mode returns JSON that matches the schema, if there is one', async () => {
  const object = await firstChoice(
    chatRequest('hello', { response_format: { type: 'json_object' } }),
  )
  expect(JSON.parse(object.text)).toMatchObject({ sandbox: true })
  const format = { type: 'json_schema', json_schema: { name: 'w', schema } }
  expect(
    JSON.parse((await firstChoice(chatRequest('hello', { response_format: format }))).text),
  ).toEqual(sample)
})

test('a sample follows references, formats and bounds', async () => {
  const referring = {
    type: 'object',
    required: ['where', 'day', 'code', 'low'],
    properties: {
      where: { $ref: '#/$defs/place' },
      day: { type: 'string', format: 'date' },
      code: { type: 'string', minLength: 9 },
      low: { type: 'number', maximum: -2 },
    },
    $defs: {
      place: {
        type: 'object',
        required: ['mail'],
        properties: { mail: { type: 'string', format: 'email' } },
      },
    },
  }
  const format = { type: 'json_schema', json_schema: { name: 'w', schema: referring } }
  const { text } = await firstChoice(chatRequest('hello', { response_format: format }))
  expect(JSON.parse(text)).toEqual({
    where: { mail: 'sandbox@example.com' },
    day: '2026-01-01',
    code: 'sandbox..',
    low: -2,
  })
})
