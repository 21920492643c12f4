import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { responsesWire } from '../../src/index.ts'
import { citedAnswer, completion, textAnswer, toolAnswer, toolMessage } from '../support/answer.ts'
import { type Answer, openWireServer } from '../support/wire-server.ts'

async function open(...answers: Answer[]) {
  const { url, chats } = await openWireServer(responsesWire, answers.values())
  return { client: new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 }), chats }
}

const tools: OpenAI.Responses.FunctionTool[] = [
  { type: 'function', name: 'weather', parameters: { type: 'object' }, strict: false },
  { type: 'function', name: 'time', parameters: { type: 'object' }, strict: false },
]

const asks = { model: 'acme/thinker', input: 'Weather in Rome?', tools } as const

test('the stream of the openai client ends in the same output as the whole answer', async () => {
  const { client } = await open(toolAnswer, toolAnswer)
  const whole = await client.responses.create({ ...asks, stream: false })
  const streamed = await client.responses.stream(asks).finalResponse()
  expect(streamed.output.map(({ type }) => type)).toEqual([
    'reasoning',
    'message',
    'function_call',
    'function_call',
  ])
  expect(streamed.output).toMatchObject(whole.output)
  expect(streamed.usage).toEqual(whole.usage)
  expect(whole.status).toBe('completed')
  expect(whole.output_text).toBe('Let me look.')
  expect(whole.usage).toEqual({
    input_tokens: 50,
    input_tokens_details: { cached_tokens: 10, cache_write_tokens: 7 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 8 },
    total_tokens: 70,
  })
})

test('events are numbered without a gap, and every delta belongs to an item that is open', async () => {
  const { client } = await open(toolAnswer)
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.create({ ...asks, stream: true })) {
    events.push(event)
  }
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i))
  const open_: string[] = []
  for (const event of events) {
    if (event.type === 'response.output_item.added') open_.push(event.item.id ?? '')
    if ('item_id' in event) expect(open_).toEqual([event.item_id])
    if (event.type === 'response.output_item.done') {
      expect(event.item.id).toBe(open_.pop())
    }
  }
  expect(open_).toEqual([])
  expect(events.at(-1)?.type).toBe('response.completed')
})

test.each([true, false])(
  'an answer is read as one assistant turn; streamed: %s',
  async (stream) => {
    const { client, chats } = await open(toolAnswer, textAnswer)
    const first = stream
      ? await client.responses.stream(asks).finalResponse()
      : await client.responses.create({ ...asks, stream: false })
    const second = await client.responses.create({
      ...asks,
      input: [
        { role: 'user', content: asks.input },
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'function_call_output', call_id: 'call_a', output: '25 degrees' },
        { type: 'function_call_output', call_id: 'call_b', output: 'noon' },
      ],
    })
    expect(second.output_text).toBe('Sunny in Rome')
    expect(chats[1]?.['messages']).toEqual([
      { role: 'user', content: asks.input },
      {
        role: 'assistant',
        reasoning_details: [
          {
            type: 'reasoning.text',
            index: 0,
            text: 'First this.',
            signature: 'sig-1',
            format: 'x',
          },
        ],
        content: 'Let me look.',
        tool_calls: toolMessage.tool_calls,
      },
      { role: 'tool', tool_call_id: 'call_a', content: '25 degrees' },
      { role: 'tool', tool_call_id: 'call_b', content: 'noon' },
    ])
  },
)

test('a broken stream fails the response with what came', async () => {
  const { client } = await open({ ...textAnswer, breakAfter: 1 })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.create({ ...asks, stream: true })) {
    events.push(event)
  }
  const last = events.at(-1)
  expect(last?.type).toBe('response.failed')
  expect(last).toMatchObject({
    response: { status: 'failed', error: { code: 'upstream_truncated' } },
  })
})

test('a function call whose arguments broke off is incomplete, and no event says that it is done', async () => {
  const { client } = await open({ ...toolAnswer, breakAfter: 8 })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.create({ ...asks, stream: true })) {
    events.push(event)
  }
  const done = events.flatMap((event) =>
    event.type === 'response.output_item.done' ? [event.item.type] : [],
  )
  expect(done).toEqual(['reasoning', 'message'])
  expect(events.map(({ type }) => type)).not.toContain('response.function_call_arguments.done')
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: {
      output: [
        { type: 'reasoning' },
        { type: 'message', status: 'completed' },
        { type: 'function_call', status: 'incomplete', arguments: '{"city":' },
      ],
    },
  })
})

test('the log probability of a token without text of its own is kept', async () => {
  const logprob = (token: string) => ({ token, logprob: -1, bytes: [1], top_logprobs: [] })
  const part = (content: string | undefined, token: string, finish: 'stop' | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk' as const,
    created: 1,
    model: 'acme/thinker',
    choices: [
      {
        index: 0,
        delta: content === undefined ? {} : { content },
        logprobs: { content: [logprob(token)] },
        finish_reason: finish,
      },
    ],
  })
  const chunks = [part(undefined, 'a'), part('😀', 'b'), part('!', 'c', 'stop')]
  const { client } = await open({ ...textAnswer, chunks })
  const { output } = await client.responses.stream(asks).finalResponse()
  expect(output).toMatchObject([
    { content: [{ text: '😀!', logprobs: [{ token: 'a' }, { token: 'b' }, { token: 'c' }] }] },
  ])
})

test('a refusal is taken back as the stream of the openai client gives it', async () => {
  const chunks = textAnswer.chunks.slice(0, 1).map((chunk) => ({
    ...chunk,
    choices: [{ index: 0, delta: { refusal: 'No.' }, finish_reason: 'stop' as const }],
  }))
  const { client, chats } = await open({ ...textAnswer, chunks }, textAnswer)
  const { output } = await client.responses.stream(asks).finalResponse()
  const input = [...output, { role: 'user', content: 'Why?' }] as OpenAI.Responses.ResponseInput
  await client.responses.create({ ...asks, input, stream: false })
  expect(chats[1]?.['messages']).toMatchObject([{ role: 'assistant', refusal: 'No.' }, {}])
})

test('an answer at its cap is incomplete', async () => {
  const cut = completion({ content: 'Sun' }, 'length')
  const { client } = await open({ ...textAnswer, completion: cut })
  const response = await client.responses.create({ ...asks, stream: false })
  expect(response.status).toBe('incomplete')
  expect(response.incomplete_details).toEqual({ reason: 'max_output_tokens' })
})

const picture = {
  type: 'image_generation_call',
  status: 'completed',
  output_format: 'webp',
  result: 'AAAA',
}

test('a stream has each citation with the text that it belongs to, and pictures between the texts', async () => {
  const { client, chats } = await open(citedAnswer, textAnswer)
  const added: unknown[] = []
  const stream = client.responses.stream(asks)
  stream.on('response.output_text.annotation.added', ({ item_id, annotation_index, annotation }) =>
    added.push([item_id, annotation_index, annotation]),
  )
  const { output } = await stream.finalResponse()
  const cited = (name: string, start_index: number, end_index: number) => ({
    type: 'url_citation',
    url: `https://${name}.example`,
    title: name,
    start_index,
    end_index,
  })
  const text = (words: string, ...annotations: object[]) => ({
    type: 'message',
    content: [{ type: 'output_text', text: words, annotations }],
  })
  expect(output).toMatchObject([
    { type: 'reasoning' },
    text('One two.', cited('early', 0, 0), cited('first', 0, 3)),
    picture,
    text('Three.', cited('second', 0, 5)),
    { type: 'function_call' },
    text('', cited('late', 0, 0)),
  ])
  expect(added).toEqual(
    output.flatMap((item) =>
      item.type === 'message' && item.content[0]?.type === 'output_text'
        ? item.content[0].annotations.map((annotation, index) => [item.id, index, annotation])
        : [],
    ),
  )
  const input = [...output, { type: 'function_call_output', call_id: 'a', output: 'seen' }]
  await client.responses.create({ input: input as OpenAI.Responses.ResponseInputItem[] })
  expect(chats[1]?.['messages']).toMatchObject([
    { role: 'assistant', content: 'One two.', images: [{ type: 'image_url' }] },
    { role: 'assistant', content: 'Three.', tool_calls: [{ id: 'a' }] },
    { role: 'tool' },
  ])
})

test('a whole answer has its citations and pictures', async () => {
  const { client } = await open(citedAnswer)
  const { output } = await client.responses.create({ ...asks, stream: false })
  const annotations = [{ type: 'url_citation', url: 'https://first.example', end_index: 3 }]
  expect(output).toMatchObject([{ content: [{ text: 'One two.', annotations }] }, picture])
})
