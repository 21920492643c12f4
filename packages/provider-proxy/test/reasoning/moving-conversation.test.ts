import { expect, test } from 'vitest'
import { mistralProfile, openAiProfile } from '../../src/index.ts'
import {
  type AssistantTurn,
  assistantTurn,
  type HistoryMessage,
  sentBody,
  toolResult,
  userTurn,
} from '../support/sent-body.ts'

/** A question, a turn of the assistant that calls a tool, the result, and the reply. */
function round(id: string, turn: AssistantTurn): readonly HistoryMessage[] {
  const look = { id, type: 'function', function: { name: 'look', arguments: '{"at":1}' } } as const
  return [
    userTurn(`Look (${id})`),
    assistantTurn({ ...turn, tool_calls: [look] }),
    toolResult(id, 'seen'),
    assistantTurn({ content: `Seen (${id})`, ...turn }),
  ]
}

const thought = { type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1' }
const signature = { type: 'reasoning.encrypted', index: 0, format: 'google-gemini-v1' }
const geminiId = 'call_0123456789abcdef01234567_0_0'

/** OpenAI, Claude, Gemini, Mistral and Kimi have answered in turn. */
const history: readonly HistoryMessage[] = [
  ...round('call_AbCdEfGhIjKlMnOpQrStUvWx', {}),
  ...round('toolu_01A09q90qw90lq917835lq9', {
    reasoning: 'Let me see.',
    reasoning_details: [{ ...thought, text: 'Let me see.', signature: 'claude-signed' }],
  }),
  ...round(geminiId, {
    reasoning_details: [{ ...signature, id: geminiId, data: 'gemini-signed' }],
  }),
  ...round('D681PevKs', {}),
  ...round('functions.look:0', { reasoning_content: 'I must look.' }),
  userTurn('And now?'),
]

/** The ids in a list of calls or results, by their key. */
function idsAt(body: unknown, key: string): readonly string[] {
  return [...JSON.stringify(body).matchAll(new RegExp(`"${key}":"([^"]+)"`, 'g'))].map(
    ([, id = '']) => id,
  )
}

test('OpenAI gets the conversation without the reasoning of others', async () => {
  const { messages } = await sentBody(openAiProfile, 'gpt-5.5', history)
  expect(messages).toHaveLength(history.length)
  expect(idsAt(messages, 'tool_call_id')).toEqual(idsAt(messages, 'id'))
  expect(idsAt(messages, 'id')).toHaveLength(5)
  expect(JSON.stringify(messages)).not.toMatch(/reasoning|signed|I must look/)
})

test('Claude gets its own signed thoughts, and ids in its alphabet', async () => {
  const { messages } = await sentBody('anthropic', 'claude-opus-5-5', history)
  const thinking = { type: 'thinking', thinking: 'Let me see.', signature: 'claude-signed' }
  expect(messages).toHaveLength(history.length)
  expect(messages).toMatchObject({
    5: { role: 'assistant', content: [thinking, { type: 'tool_use' }] },
    6: { role: 'user', content: [{ type: 'tool_result' }] },
    7: { role: 'assistant', content: [thinking, { type: 'text' }] },
  })
  const ids = idsAt(messages, 'id')
  expect(idsAt(messages, 'tool_use_id')).toEqual(ids)
  expect(new Set(ids).size).toBe(5)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(JSON.stringify(messages)).not.toMatch(/gemini-signed|I must look|reasoning/)
})

test('Gemini gets its own signature, and the placeholder at the calls of others', async () => {
  const { contents } = await sentBody('gemini', 'gemini-3.5-flash', history)
  const skip = 'skip_thought_signature_validator'
  expect(idsAt(contents, 'thoughtSignature')).toEqual([skip, skip, 'gemini-signed', skip, skip])
  const roles = idsAt(contents, 'role')
  expect(roles).toHaveLength(history.length)
  for (const [position, role] of roles.entries()) {
    expect(role).toBe(position % 2 === 0 ? 'user' : 'model')
  }
  expect(JSON.stringify(contents)).not.toMatch(/claude-signed|Let me see|I must look/)
})

test('Mistral gets ids of nine letters and digits, and no field that it rejects', async () => {
  const { messages } = await sentBody(mistralProfile, 'mistral-large-latest', history)
  const ids = idsAt(messages, 'id')
  expect(ids[3]).toBe('D681PevKs')
  expect(new Set(ids).size).toBe(5)
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/)
  expect(idsAt(messages, 'tool_call_id')).toEqual(ids)
  expect(JSON.stringify(messages)).not.toMatch(/reasoning|signed|refusal|I must look/)
})
