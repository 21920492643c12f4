import { expect, test } from 'vitest'
import { assistantTurn, sentBody, toolResult, userTurn } from '../support/sent-body.ts'

const system = (content: string) => ({ role: 'system', content })
const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }

const conversation = [
  system('You look.'),
  userTurn('Look.'),
  system('Be brief.'),
  assistantTurn({ tool_calls: [call] }),
  toolResult('a', 'seen'),
  system('Be polite.'),
]

const text = (content: string) => [{ type: 'text', text: content }]

test.each(['claude-opus-4-8', 'claude-sonnet-5', 'claude-haiku-5-5'])(
  '%s gets instructions after a turn of the user where they are',
  async (model) => {
    const { system: first, messages } = await sentBody('anthropic', model, conversation)
    expect(first).toBe('You look.')
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'system', content: text('Be brief.') },
      { role: 'assistant' },
      { role: 'user', content: [{ type: 'tool_result' }] },
      { role: 'system', content: text('Be polite.') },
    ])
  },
)

test.each(['claude-opus-4-7', 'claude-sonnet-4-6', 'claude-haiku-4-5'])(
  '%s gets all instructions before the conversation',
  async (model) => {
    const { system: first, messages } = await sentBody('anthropic', model, conversation)
    expect(first).toBe('You look.\n\nBe brief.\n\nBe polite.')
    expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }, { role: 'user' }])
  },
)

test('instructions in other places go before the conversation', async () => {
  const elsewhere = [userTurn('Hi'), assistantTurn({ content: 'Hi' }), system('A'), userTurn('Bye')]
  const { system: first, messages } = await sentBody('anthropic', 'claude-opus-5', elsewhere)
  expect(first).toBe('A')
  expect(messages).toHaveLength(3)
})
