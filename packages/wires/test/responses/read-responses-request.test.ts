import { expect, test } from 'vitest'
import { responsesWire } from '../../src/index.ts'

function chatOf(body: object): Readonly<Record<string, unknown>> {
  const read = responsesWire.read(body)
  if (read.status === 'refused') throw new Error(read.problem.message)
  return read.chat
}

test('text, instructions and settings become the fields of a chat request', () => {
  expect(
    chatOf({
      model: 'openai/gpt-5',
      instructions: 'Be brief.',
      input: 'Hello',
      max_output_tokens: 100,
      temperature: 0.2,
      reasoning: { effort: 'low', summary: 'auto' },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true },
      },
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: null }],
      tool_choice: { type: 'function', name: 'f' },
      store: false,
      metadata: { a: 'b' },
      include: ['reasoning.encrypted_content'],
    }),
  ).toEqual({
    model: 'openai/gpt-5',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ],
    max_tokens: 100,
    temperature: 0.2,
    reasoning_effort: 'low',
    verbosity: 'low',
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
    },
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
  })
})

test('a text after a call does not come between the call and its output', () => {
  const said = (text: string) => ({ role: 'assistant', content: [{ type: 'output_text', text }] })
  const input = [
    said('I look.'),
    { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
    said(' Wait.'),
    { type: 'function_call_output', call_id: 'a', output: 'seen' },
    said('Done.'),
  ]
  expect(chatOf({ input })['messages']).toMatchObject([
    { role: 'assistant', content: 'I look. Wait.', tool_calls: [{ id: 'a' }] },
    { role: 'tool', tool_call_id: 'a' },
    { role: 'assistant', content: 'Done.' },
  ])
})

test('pictures and parts of text keep their order', () => {
  const { messages } = chatOf({
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
          { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
        ],
      },
    ],
  })
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
      ],
    },
  ])
})

test.each([
  [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
  [{ conversation: 'conv_1' }, 'conversation'],
  [{ store: true }, 'store'],
  [{ background: true }, 'background'],
  [{ include: ['file_search_call.results'] }, 'include[0]'],
  [{ prompt: { id: 'p' } }, 'prompt'],
  [{ truncation: 'auto' }, 'truncation'],
  [{ moderation: { model: 'm' } }, 'moderation'],
  [{ context_management: [{ type: 'compaction' }] }, 'context_management'],
  [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
  [{ tools: [{ type: 'namespace', name: 'agents', tools: [] }] }, 'tools[0].type'],
  [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].id'],
  [
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] },
    'input[0].content[0].type',
  ],
  [{ unheard_of: 1 }, 'unheard_of'],
])('%j is refused by the name of the field', (fields, param) => {
  const read = responsesWire.read({ input: 'Hello', ...fields })
  expect(read).toMatchObject({ status: 'refused', problem: { param } })
})

test.each([
  [{ type: 'message', content: 'x' }, 'input[0].role must be one of "user", "system", '],
  [{ content: 'x' }, 'input[0].role must be one of "user", "system", '],
  [{ type: 'web_search_call' }, 'input[0].type must be one of "message", "function_call", '],
])('the item %j is refused with what it must be', (item, message) => {
  const read = responsesWire.read({ input: [item] })
  expect(read).toMatchObject({ problem: { message: expect.stringContaining(message) } })
})

test.each([
  { prompt_cache_options: { mode: 'implicit', ttl: '30m' } },
  { context_management: [] },
  { moderation: null },
  { client_metadata: { session_id: 'a' } },
])('%j does not change the chat request', (fields) => {
  expect(chatOf({ input: 'Hello', ...fields })).toEqual(chatOf({ input: 'Hello' }))
})

test('a problem of the chat request is named as the caller wrote it', () => {
  const read = responsesWire.read({
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: 'a' },
      { role: 'user', content: '' },
      { type: 'function_call_output', call_id: 'a', output: 'x' },
    ],
    tools: [{ type: 'function', name: 'f' }],
  })
  if (read.status === 'refused') throw new Error(read.problem.message)
  const names = [
    'messages[0].content',
    'messages[2].content',
    'messages[3].content',
    'messages[3].tool_call_id',
    'max_tokens',
    'tools[0].function.name',
    'model',
  ]
  expect(names.map(read.fieldName)).toEqual([
    'instructions',
    'input[1].content',
    'input[2].output',
    'input[2].call_id',
    'max_output_tokens',
    'tools[0].name',
    'model',
  ])
})

test('each item of an answer in the history keeps its own name', () => {
  const input = [
    { role: 'user', content: 'a' },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { role: 'assistant', content: 'I look.' },
    { type: 'function_call', call_id: 'n', name: '', arguments: '' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"cut' },
    { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'x' },
  ]
  const read = responsesWire.read({ input })
  if (read.status === 'refused') throw new Error(read.problem.message)
  const names = [
    'messages[1].content',
    'messages[1].tool_calls[0].function.arguments',
    'messages[1].tool_calls[0].function.name',
    'messages[1].tool_calls[1].id',
    'messages[1].tool_calls[1].function.arguments',
  ]
  expect(names.map(read.fieldName)).toEqual([
    'input[2].content',
    'input[4].arguments',
    'input[4].name',
    'input[5].call_id',
    'input[5].input',
  ])
})

test('the fields of an image are named as the caller wrote them', () => {
  const url = 'https://example.com/a.png'
  const content = [
    { type: 'input_image', image_url: url, detail: 'low' },
    { type: 'image_url', image_url: { url } },
  ]
  const output = [{ type: 'input_image', image_url: url }]
  const read = responsesWire.read({
    input: [
      { role: 'user', content },
      { type: 'function_call_output', call_id: 'a', output },
    ],
  })
  if (read.status === 'refused') throw new Error(read.problem.message)
  const names = [
    'messages[0].content[0].image_url.url',
    'messages[0].content[0].image_url.detail',
    'messages[0].content[1].image_url.url',
    'messages[1].content[0].image_url.url',
  ]
  expect(names.map(read.fieldName)).toEqual([
    'input[0].content[0].image_url',
    'input[0].content[0].detail',
    'input[0].content[1].image_url.url',
    'input[1].output[0].image_url',
  ])
})

test('a text as input is named as one', () => {
  const read = responsesWire.read({ input: '' })
  expect(read.status === 'translated' && read.fieldName('messages[0].content')).toBe('input')
})

test('a tool choice without tools is passed on, to be refused unless it requests nothing', () => {
  expect(chatOf({ input: 'Hello', tool_choice: 'required' })).toMatchObject({
    tool_choice: 'required',
  })
})

test('allowed tools are those of the chat, under their own names', () => {
  const tools = [{ type: 'function', name: 'f', parameters: {}, strict: false }]
  const tool_choice = {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [{ type: 'function', name: 'f' }],
  }
  const read = responsesWire.read({ input: 'Hello', tools, tool_choice })
  if (read.status === 'refused') throw new Error(read.problem.message)
  const chosen = { mode: 'auto', tools: [{ type: 'function', function: { name: 'f' } }] }
  expect(read.chat['tool_choice']).toEqual({ type: 'allowed_tools', allowed_tools: chosen })
  expect(read.fieldName('tool_choice.allowed_tools.tools[0].function.name')).toBe(
    'tool_choice.tools[0].name',
  )
})

test('cache breakpoints are taken and dropped', () => {
  const prompt_cache_breakpoint = { mode: 'explicit' }
  const text = { type: 'input_text', text: 'Hello', prompt_cache_breakpoint }
  const image_url = 'https://example.com/a.png'
  const image = { type: 'input_image', image_url, prompt_cache_breakpoint }
  expect(chatOf({ input: [{ role: 'user', content: [text, image] }] })).toMatchObject({
    messages: [
      {
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'image_url', image_url: { url: image_url } },
        ],
      },
    ],
  })
})

test('what OpenAI adds to calls, their outputs and functions is taken if it asks for nothing', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
  const tool = { type: 'function', name: 'f', parameters: {}, strict: false }
  const plain = chatOf({ input: [call, output], tools: [tool] })
  expect(
    chatOf({
      input: [
        { ...call, caller: { type: 'direct' }, async: false, namespace: null },
        { ...output, caller: null, name: 'f' },
      ],
      tools: [{ ...tool, allowed_callers: ['direct'], async: false, defer_loading: false }],
      reasoning: { context: 'auto', mode: 'standard' },
    }),
  ).toEqual(plain)
})

test.each([
  [{ tools: [{ type: 'function', name: 'f', async: true }] }, 'tools[0].async'],
  [{ tools: [{ type: 'function', name: 'f', defer_loading: true }] }, 'tools[0].defer_loading'],
  [{ reasoning: { mode: 'pro' } }, 'reasoning.mode'],
])('%j, which would change the answer, is refused by name', (fields, param) => {
  expect(responsesWire.read({ input: 'Hello', ...fields })).toMatchObject({
    status: 'refused',
    problem: { param },
  })
})

test('a call without a name is left out of the history', () => {
  const call = { type: 'function_call', call_id: 'a', name: '', arguments: '{}' }
  expect(chatOf({ input: [call, { role: 'user', content: 'Hello' }] })).toEqual({
    messages: [{ role: 'user', content: 'Hello' }],
  })
})

test.each([
  { type: 'reasoning', id: 'rs_1', summary: [] },
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'of another service' },
  { type: 'message', id: 'msg_1', role: 'assistant', status: 'incomplete', content: [] },
])('%j, which has nothing to say, is left out of the history', (item) => {
  const question = { role: 'user', content: 'Hello' }
  expect(chatOf({ input: [question, item, question] })).toEqual({ messages: [question, question] })
})

test('the pictures of tool results stay in them, under their own names', () => {
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })
  const picture = { type: 'input_image', image_url: 'https://example.com/a.png' }
  const shown = { type: 'function_call_output', call_id: 'a', output: [picture] }
  const told = { type: 'function_call_output', call_id: 'b', output: 'none' }
  const read = responsesWire.read({ input: [call('a'), call('b'), shown, told] })
  if (read.status === 'refused') throw new Error(read.problem.message)
  expect(read.chat['messages']).toMatchObject([
    { role: 'assistant' },
    {
      role: 'tool',
      tool_call_id: 'a',
      content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
    },
    { role: 'tool', tool_call_id: 'b', content: 'none' },
  ])
  expect(read.fieldName('messages[1].content[0]')).toBe('input[2].output[0]')
})

test.each([
  [
    'web_search',
    'tools[1].type must be "function" or "custom": web search is not sold here. In Codex, set web_search = "disabled".',
  ],
  [
    'namespace',
    'tools[1].type must be "function" or "custom": namespaces of tools are not sold here. Send their functions; in Codex, set agents.enabled = false.',
  ],
  [
    'mcp',
    'tools[1].type must be "function" or "custom": tools that run at OpenAI are not sold here.',
  ],
])('a tool of type %s is refused with the fix', (type, message) => {
  const tools = [{ type: 'function', name: 'f' }, { type }]
  expect(responsesWire.read({ input: 'Hello', tools })).toMatchObject({
    status: 'refused',
    problem: { param: 'tools[1].type', message },
  })
})
