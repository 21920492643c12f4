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
