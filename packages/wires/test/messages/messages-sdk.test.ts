import type Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { messagesWire } from '../../src/index.ts'
import { citedAnswer, textAnswer, toolAnswer, toolMessage } from '../support/answer.ts'
import { openMessages } from '../support/messages-client.ts'

const asks = {
  model: 'acme/thinker',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Weather in Rome?' }] as Anthropic.MessageParam[],
  tools: [{ name: 'weather', input_schema: { type: 'object' } }] as Anthropic.Tool[],
}

test('the stream of the Anthropic client ends in the same message as the whole answer', async () => {
  const { client } = await openMessages(toolAnswer, toolAnswer)
  const whole = await client.messages.create(asks)
  const streamed = await client.messages.stream(asks).finalMessage()
  expect(whole.content.map(({ type }) => type)).toEqual([
    'thinking',
    'text',
    'tool_use',
    'tool_use',
  ])
  expect(streamed.content).toEqual(whole.content)
  expect(streamed.stop_reason).toBe('tool_use')
  expect(streamed.usage).toMatchObject({
    input_tokens: 33,
    cache_creation_input_tokens: 7,
    cache_read_input_tokens: 10,
    output_tokens: 20,
  })
})

test.each([true, false])(
  'an answer is read as one assistant turn; streamed: %s',
  async (stream) => {
    const { client, chats } = await openMessages(toolAnswer, textAnswer)
    const first = stream
      ? await client.messages.stream(asks).finalMessage()
      : await client.messages.create(asks)
    const second = await client.messages.create({
      ...asks,
      messages: [
        ...asks.messages,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_a', content: '25 degrees' },
            { type: 'tool_result', tool_use_id: 'call_b', content: 'no clock', is_error: true },
            { type: 'text', text: 'Well?' },
          ],
        },
      ],
    })
    expect(second.content).toMatchObject([{ type: 'text', text: 'Sunny in Rome' }])
    expect(second.stop_reason).toBe('end_turn')
    expect(chats[1]?.['messages']).toEqual([
      { role: 'user', content: 'Weather in Rome?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: toolMessage.tool_calls,
        reasoning_details: [
          {
            type: 'reasoning.text',
            index: 0,
            text: 'First this.',
            signature: 'sig-1',
            format: 'x',
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '25 degrees' },
      { role: 'tool', tool_call_id: 'call_b', content: 'Error: no clock' },
      { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
    ])
  },
)

test('a broken stream is an error that the client throws', async () => {
  const { client } = await openMessages({ ...textAnswer, breakAfter: 1 })
  await expect(client.messages.stream(asks).finalMessage()).rejects.toThrow(
    'The provider broke off.',
  )
})

test('a tool call whose input broke off is never closed', async () => {
  const { client } = await openMessages({ ...toolAnswer, breakAfter: 8 })
  const stream = client.messages.stream(asks)
  const closed: string[] = []
  stream.on('contentBlock', ({ type }) => closed.push(type))
  await expect(stream.finalMessage()).rejects.toThrow('The provider broke off.')
  expect(closed).toEqual(['thinking', 'text'])
})

test('cache marks go with their blocks, and a failed result keeps its own', async () => {
  const { client, chats } = await openMessages(textAnswer)
  const cache_control = { type: 'ephemeral', ttl: '1h' } as const
  await client.messages.create({
    ...asks,
    tools: [{ name: 'weather', input_schema: { type: 'object' }, cache_control }],
    system: [
      { type: 'text', text: 'Be brief.', cache_control },
      { type: 'text', text: 'Be kind.' },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Rome?', cache_control }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.', cache_control },
          { type: 'tool_use', id: 't1', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true, cache_control },
        ],
      },
    ],
  })
  expect(chats[0]).toMatchObject({
    tools: [{ type: 'function', cache_control, function: { name: 'weather' } }],
    messages: [
      {
        role: 'system',
        content: [
          { type: 'text', text: 'Be brief.\n\n', cache_control },
          { type: 'text', text: 'Be kind.' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'Rome?', cache_control }] },
      { role: 'assistant', content: [{ type: 'text', text: 'I look.', cache_control }] },
      {
        role: 'tool',
        tool_call_id: 't1',
        content: [{ type: 'text', text: 'Error: no', cache_control }],
      },
    ],
  })
})

test('settings become the fields of a chat request', async () => {
  const { client, chats } = await openMessages(textAnswer)
  // The client's types no longer have `temperature` and `top_k`; older releases send them.
  const sampling = { temperature: 0.5, top_k: 5 }
  await client.beta.messages.create({
    ...asks,
    ...sampling,
    system: [{ type: 'text', text: 'Be brief.' }],
    stop_sequences: ['END'],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 2000 },
    metadata: { user_id: 'u' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  })
  expect(chats[0]).toEqual({
    model: 'acme/thinker',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather in Rome?' },
    ],
    tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
    tool_choice: 'required',
    parallel_tool_calls: false,
    reasoning: { max_tokens: 2000 },
    max_tokens: 100,
    stop: ['END'],
    temperature: 0.5,
    top_k: 5,
    user: 'u',
  })
})

const dropping = {
  type: 'adaptive' as const,
  block_binding: { prefix_mismatch_behavior: 'drop_block' as const },
}

test.each([
  [
    'anthropic/claude-opus-5',
    { thinking: { type: 'disabled' } },
    { reasoning: { enabled: false } },
  ],
  ['claude-sonnet-5-5', { thinking: { type: 'between_tools' } }, { reasoning: { enabled: false } }],
  ['anthropic/claude-opus-5', { thinking: { type: 'adaptive' } }, { reasoning: { enabled: true } }],
  [
    'anthropic/claude-opus-5',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    { reasoning_effort: 'low' },
  ],
  ['acme/thinker', { thinking: { type: 'adaptive' } }, {}],
  ['acme/thinker', { thinking: dropping }, {}],
] as const)('%s with %j asks for %j', async (model, fields, asked) => {
  const { client, chats } = await openMessages(textAnswer)
  await client.messages.create({ ...asks, model, ...fields })
  const { reasoning, reasoning_effort } = chats[0] ?? {}
  expect({ reasoning, reasoning_effort }).toEqual({
    reasoning: undefined,
    reasoning_effort: undefined,
    ...asked,
  })
})

test.each([
  [{ mcp_servers: [{}] }, 'mcp_servers'],
  [{ container: 'c' }, 'container'],
  [{ thread: { type: 'create' } }, 'thread'],
  [{ output_format: { type: 'json_schema' } }, 'output_format'],
  [
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    'context_management.edits[0].type',
  ],
  [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type'],
  [
    { messages: [{ role: 'user', content: [{ type: 'document', source: {} }] }] },
    'messages[0].content[0].type',
  ],
  [{ unheard_of: 1 }, 'unheard_of'],
])('%j is refused by the name of the field', (fields, param) => {
  const read = messagesWire.read({ ...asks, ...fields })
  expect(read).toMatchObject({ status: 'refused', problem: { param } })
})

test.each([{ mcp_servers: [] }, { output_format: null }, { context_management: null }])(
  '%j requests nothing, and is taken',
  (fields) => {
    expect(messagesWire.read({ ...asks, ...fields })).toMatchObject({
      status: 'translated',
      chat: expect.not.objectContaining(fields),
    })
  },
)

test.each([true, false])(
  'the stop sequence that ended an answer is named; streamed: %s',
  async (stream) => {
    const { chunks, completion } = textAnswer
    const end = chunks.at(-1)
    if (end === undefined) throw new Error('an answer has an end')
    const choices = end.choices.map((choice) => ({ ...choice, stop_sequence: 'END' }))
    const { client } = await openMessages({
      chunks: [...chunks.slice(0, -1), { ...end, choices }],
      completion: {
        ...completion,
        choices: completion.choices.map((choice) => ({ ...choice, stop_sequence: 'END' })),
      },
    })
    const message = stream
      ? await client.messages.stream(asks).finalMessage()
      : await client.messages.create(asks)
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
  },
)

test.each([
  [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens is required.'],
  [{ service_tier: 'priority' }, 'service_tier must be one of "auto", "standard_only".'],
  [{ cache_control: 'ephemeral' }, 'cache_control must be an object.'],
  [
    { tools: [{ type: 'bash_20250124', name: 'bash' }] },
    'tools[0].type must be "custom": tools that Anthropic defines are not sold here. Define one of your own, with an input_schema.',
  ],
  [
    { thinking: { type: 'between_tools' } },
    'thinking.type must be "disabled" or "adaptive" for this model: between_tools is for Claude Sonnet 5.5.',
  ],
  [
    { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'error' } } },
    'thinking.block_binding.prefix_mismatch_behavior must be "drop_block".',
  ],
])('%j is refused with what this interface takes', (fields, message) => {
  const read = messagesWire.read({ ...asks, ...fields })
  expect(read).toMatchObject({ status: 'refused', problem: { message } })
})

test('-1 is how LangChain says that a limit is not set', async () => {
  const { client, chats } = await openMessages(textAnswer)
  const unset = { top_p: -1, top_k: -1 }
  await client.messages.create({ ...asks, ...unset })
  expect(chats[0]).not.toHaveProperty('top_p')
  expect(chats[0]).not.toHaveProperty('top_k')
})

test('the pictures of tool results stay in them, under their own names', () => {
  const data = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
  const image = { type: 'image', source: data }
  const content = [
    { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'text', text: 'see' }, image] },
    { type: 'tool_result', tool_use_id: 'call_b', content: 'none' },
    { type: 'text', text: 'Well?' },
  ]
  const read = messagesWire.read({ ...asks, messages: [{ role: 'user', content }] })
  if (read.status === 'refused') throw new Error(read.problem.message)
  expect(read.chat['messages']).toEqual([
    {
      role: 'tool',
      tool_call_id: 'call_a',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_b', content: 'none' },
    { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
  ])
  expect(read.fieldName('messages[0].content[1]')).toBe('messages[0].content[0].content[1]')
  expect(read.fieldName('messages[0].content[1].image_url.url')).toBe(
    'messages[0].content[0].content[1].source',
  )
  expect(read.fieldName('messages[2].content[0].text')).toBe('messages[0].content[2].text')
  expect(read.fieldName('messages[1].content')).toBe('messages[0].content[1].content')
  expect(read.fieldName('messages[1].tool_call_id')).toBe('messages[0].content[1].tool_use_id')
})

test('instructions are named as the caller wrote them', () => {
  const instructions = { role: 'system', content: 'Be kind.' }
  const read = messagesWire.read({
    ...asks,
    system: 'Be brief.',
    messages: [...asks.messages, instructions],
  })
  if (read.status === 'refused') throw new Error(read.problem.message)
  expect(read.fieldName('messages[0].content')).toBe('system')
  expect(read.fieldName('messages[2].content')).toBe('messages[1].content')
})

test('a tool choice without tools is passed on, to be refused unless it requests nothing', async () => {
  const { client, chats } = await openMessages(textAnswer)
  await client.messages.create({ ...asks, tools: [], tool_choice: { type: 'any' } })
  expect(chats[0]).toMatchObject({ tool_choice: 'required' })
})

const picture = { type: 'text', text: '![picture](data:image/webp;base64,AAAA)' }

function text(words: string, ...sources: string[]): object {
  const citations = sources.map((title) => ({
    type: 'web_search_result_location',
    url: `https://${title}.example`,
    title,
    cited_text: '',
    encrypted_index: '',
  }))
  return { type: 'text', text: words, citations }
}

test('a stream has each citation with the text that it belongs to, and pictures as texts', async () => {
  const { client, chats } = await openMessages(citedAnswer, textAnswer)
  const { content } = await client.messages.stream(asks).finalMessage()
  expect(content).toMatchObject([
    { type: 'thinking' },
    text('One two.', 'early', 'first'),
    picture,
    text('Three.', 'second'),
    { type: 'tool_use' },
    text('', 'late'),
  ])
  const result = { type: 'tool_result' as const, tool_use_id: 'a', content: 'seen' }
  const messages: Anthropic.MessageParam[] = [
    { role: 'assistant', content },
    { role: 'user', content: [result] },
    { role: 'assistant', content: `Look: ${picture.text}` },
  ]
  await client.messages.create({ ...asks, messages })
  const images = [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } }]
  expect(chats[1]?.['messages']).toMatchObject([
    { role: 'assistant', content: 'One two.Three.', images, tool_calls: [{ id: 'a' }] },
    { role: 'tool' },
    { role: 'assistant', content: 'Look: ', images },
  ])
})

test('a whole answer has its citations and pictures', async () => {
  const { client } = await openMessages(citedAnswer)
  const { content } = await client.messages.create(asks)
  expect(content).toEqual([text('One two.', 'first'), picture])
})

test('a stream begins with the tokens that were counted, and ends with those that are billed', async () => {
  const { client } = await openMessages(toolAnswer)
  const usages: unknown[] = []
  for await (const event of await client.messages.create({ ...asks, stream: true })) {
    if (event.type === 'message_start') usages.push(event.message.usage)
    if (event.type === 'message_delta') usages.push(event.usage)
  }
  expect(usages).toMatchObject([
    { input_tokens: 7, output_tokens: 0 },
    { input_tokens: 33, output_tokens: 20, output_tokens_details: { thinking_tokens: 8 } },
  ])
})
