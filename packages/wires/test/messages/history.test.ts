import type Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { messagesWire } from '../../src/index.ts'
import { textAnswer } from '../support/answer.ts'
import { openMessages } from '../support/messages-client.ts'

const asks = {
  model: 'acme/thinker',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Weather in Rome?' }] as Anthropic.MessageParam[],
}

test('an answer without content is accepted as history', async () => {
  const { client, chats } = await openMessages(textAnswer)
  const messages: Anthropic.MessageParam[] = [
    ...asks.messages,
    { role: 'assistant', content: [] },
    { role: 'user', content: 'And then?' },
  ]
  await client.messages.create({ ...asks, messages })
  expect(chats[0]?.['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: '' },
    { role: 'user' },
  ])
})

test('a call and its result that name no toolset are accepted as history', async () => {
  const { client, chats } = await openMessages(textAnswer)
  const messages: Anthropic.MessageParam[] = [
    ...asks.messages,
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {}, toolset_name: null }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x', toolset_name: null }],
    },
  ]
  await client.messages.create({ ...asks, messages })
  expect(chats).toHaveLength(1)
})

test('a call without a name, and a text of citations alone, are accepted as history', async () => {
  const { client, chats } = await openMessages(textAnswer)
  const call = { type: 'tool_use' as const, id: 'a', name: '', input: {} }
  const messages: Anthropic.MessageParam[] = [
    { role: 'assistant', content: [call, { type: 'text', text: 'One.' }] },
    { role: 'assistant', content: [{ type: 'text', text: '' }] },
  ]
  await client.messages.create({ ...asks, messages })
  expect(chats[0]?.['messages']).toEqual([
    { role: 'assistant', content: 'One.' },
    { role: 'assistant', content: '' },
  ])
})

test('a problem with a call or an image of the history is named as the caller wrote it', () => {
  const source = { type: 'base64', media_type: 'image/png', data: '' }
  const read = messagesWire.read({
    ...asks,
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'n', name: '', input: {} },
          { type: 'tool_use', id: 'a', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'x' },
          { type: 'image', source },
        ],
      },
    ],
  })
  if (read.status === 'refused') throw new Error(read.problem.message)
  const names = [
    'messages[0].tool_calls[0].function.name',
    'messages[0].tool_calls[0].function.arguments',
    'messages[2].content[0].image_url.url',
  ]
  expect(names.map(read.fieldName)).toEqual([
    'messages[0].content[2].name',
    'messages[0].content[2].input',
    'messages[1].content[1].source',
  ])
})

test('the cache mark of a call is kept, and named as the caller wrote it', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const content = [
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'a', name: 'look', input: {}, ...mark },
  ]
  const read = messagesWire.read({ ...asks, messages: [{ role: 'assistant', content }] })
  if (read.status === 'refused') throw new Error(read.problem.message)
  expect(read.chat['messages']).toMatchObject([{ tool_calls: [{ id: 'a', ...mark }] }])
  expect(read.fieldName('messages[0].tool_calls[0].cache_control')).toBe(
    'messages[0].content[1].cache_control',
  )
})

test('the texts and images of a result keep their order and their cache marks', () => {
  const text = (given: string, mark: object = {}) => ({ type: 'text', text: given, ...mark })
  const mark = { cache_control: { type: 'ephemeral' } }
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  const image = { type: 'image', source }
  const result = (content: readonly object[]) => {
    const call = { type: 'tool_use', id: 'a', name: 'look', input: {} }
    const block = { type: 'tool_result', tool_use_id: 'a', content, is_error: true }
    const messages = [
      { role: 'assistant', content: [call] },
      { role: 'user', content: [block] },
    ]
    const read = messagesWire.read({ ...asks, messages })
    if (read.status === 'refused') throw new Error(read.problem.message)
    return read.chat['messages']
  }
  const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const given = [text('Page 1:', mark), image, text('Page 2:', mark), text('(last)'), image]
  expect(result(given)).toMatchObject([
    { role: 'assistant' },
    { content: [text('Error: Page 1:', mark), shown, text('Page 2:\n(last)', mark), shown] },
  ])
  expect(result([image])).toMatchObject([{}, { content: [text('Error: '), shown] }])
})
