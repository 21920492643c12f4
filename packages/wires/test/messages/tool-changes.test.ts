import { expect, test } from 'vitest'
import { messagesWire, type WireRequest } from '../../src/index.ts'

type Translated = Extract<WireRequest, { readonly status: 'translated' }>

function read(body: object): Translated {
  const asked = { model: 'anthropic/claude-opus-5.5', max_tokens: 10, ...body }
  const translated = messagesWire.read(asked)
  if (translated.status === 'refused') throw new Error(translated.problem.message)
  return translated
}

const tool = (name: string) => ({ name, input_schema: { type: 'object' } })
const deferred = (name: string) => ({ ...tool(name), defer_loading: true })
const user = { role: 'user', content: 'Look.' }
const found = (tool_name: string) => [
  { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'search', input: {} }] },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name }] },
    ],
  },
]
const added = (name: string) => ({
  role: 'system',
  content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name } }],
})
const removed = (name: string) => ({
  role: 'system',
  content: [{ type: 'tool_removal', tool: { type: 'tool_reference', name } }],
})
const defined = (name: string) => ({
  role: 'system',
  content: [{ type: 'tool_addition', tool: { type: 'tool_definition', definition: tool(name) } }],
})

const tools = [tool('search'), deferred('read'), deferred('write')]

test.each([
  ['at first', [user], ['search']],
  ['after a search', [user, ...found('write')], ['search', 'write']],
  ['after a search without a known tool', [user, ...found('none')], ['search']],
  ['after an addition', [user, added('read')], ['search', 'read']],
  ['after a definition', [user, defined('new')], ['search', 'new']],
  ['after a removal', [user, removed('search')], []],
  ['added again', [user, removed('search'), added('search')], ['search']],
])('%s, the model is offered the tools that are not deferred', (_, messages, names) => {
  const { chat } = read({ tools, messages })
  const offered = (chat['tools'] ?? []) as { readonly function: { readonly name: string } }[]
  expect(offered.map((one) => one.function.name)).toEqual(names)
})

test('a change of the tools is an instruction in its place', () => {
  const { chat } = read({ tools, messages: [user, ...found('write'), removed('search')] })
  expect(chat['messages']).toMatchObject([
    user,
    { role: 'assistant' },
    { role: 'tool', content: 'The tool write is now available.' },
    { role: 'system', content: 'The tool search is no longer available.' },
  ])
})

test('a problem of a tool is named where the caller defined it', () => {
  const { fieldName } = read({ tools, messages: [user, added('write'), defined('new')] })
  expect(fieldName('tools[1].function.name')).toBe('tools[2].name')
  expect(fieldName('tools[2].function.parameters')).toBe(
    'messages[2].content[0].tool.definition.input_schema',
  )
})

test('the last message with an effort sets it, and one without content is left out', () => {
  const messages = [
    user,
    { role: 'system', content: 'Be brief.', output_config: { effort: 'medium' } },
    { role: 'assistant', content: 'Done.' },
    { role: 'system', content: [], output_config: { effort: 'low' } },
    user,
  ]
  const { chat } = read({ messages, output_config: { effort: 'high' } })
  expect(chat).toMatchObject({ reasoning_effort: 'low' })
  expect(chat['messages']).toHaveLength(4)
})
