import type Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
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
