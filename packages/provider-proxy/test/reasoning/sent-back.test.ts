import { expect, test } from 'vitest'
import {
  customProfile,
  deepSeekProfile,
  mistralProfile,
  moonshotProfile,
  openAiProfile,
  openRouterProfile,
} from '../../src/index.ts'
import {
  type AssistantTurn,
  assistantTurn,
  type HistoryMessage,
  sentBody,
  toolResult,
  userTurn,
} from '../support/sent-body.ts'

const format = 'anthropic-claude-v1'
const claudeDetails = [
  { type: 'reasoning.text', format, index: 0, text: 'Let me ' },
  { type: 'reasoning.text', format, index: 0, text: 'see.' },
  { type: 'reasoning.text', format, index: 0, signature: 'signed' },
  { type: 'reasoning.encrypted', format, index: 1, data: 'sealed' },
]
const geminiDetails = [
  { type: 'reasoning.encrypted', format: 'google-gemini-v1', index: 0, id: 'call_1', data: 'g1' },
]
const deepSeekDetails = [
  { type: 'reasoning.text', format: 'deepseek-v1', index: 0, text: 'I must ' },
  { type: 'reasoning.text', format: 'deepseek-v1', index: 0, text: 'look.' },
]

function called(
  ...ids: readonly string[]
): { id: string; type: 'function'; function: { name: string; arguments: string } }[] {
  return ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } }))
}

function history(turn: AssistantTurn, ...ids: readonly string[]): readonly HistoryMessage[] {
  const calls = ids.length > 0 ? { tool_calls: called(...ids) } : {}
  return [
    userTurn('Look!'),
    assistantTurn({ ...turn, ...calls }),
    ...ids.map((id) => toolResult(id, 'seen')),
    ...(ids.length > 0 ? [] : [userTurn('And?')]),
  ]
}

test('Anthropic gets its thoughts first in the turn, in order and unchanged', async () => {
  const turn = { content: 'Looking.', reasoning: 'Let me see.', reasoning_details: claudeDetails }
  const { messages } = await sentBody('anthropic', 'claude-opus-5-5', history(turn, 'call_1'))
  expect(messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Look!' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'signed' },
        { type: 'redacted_thinking', data: 'sealed' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'seen' }],
    },
  ])
})

test('a thought without text keeps its signature; one without a signature is left out', async () => {
  const details = [
    { type: 'reasoning.text', format, index: 0, signature: 'first' },
    { type: 'reasoning.text', format, index: 0, text: 'b', signature: 'second' },
    { type: 'reasoning.text', format, index: 1, text: 'unsigned' },
  ]
  const messages = history({ reasoning_details: details }, 'call_1')
  const body = await sentBody('anthropic', 'claude-opus-5-5', messages)
  expect(body['messages']).toMatchObject([
    {},
    {
      content: [
        { type: 'thinking', thinking: '', signature: 'first' },
        { type: 'thinking', thinking: 'b', signature: 'second' },
        { type: 'tool_use' },
      ],
    },
    {},
  ])
})

test('a signature or an encrypted step that came twice is sent once', async () => {
  const seals = claudeDetails.slice(2)
  const turn = { content: 'Looking.', reasoning_details: [...claudeDetails, ...seals] }
  const { messages } = await sentBody('anthropic', 'claude-opus-5-5', history(turn, 'call_1'))
  expect(messages).toMatchObject([
    {},
    {
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'signed' },
        { type: 'redacted_thinking', data: 'sealed' },
        { type: 'text' },
        { type: 'tool_use' },
      ],
    },
    {},
  ])
})

test('a last turn of the assistant holds no thoughts', async () => {
  const messages = history({ content: 'So', reasoning_details: claudeDetails }).slice(0, 2)
  const body = await sentBody('anthropic', 'claude-sonnet-4-5', messages)
  expect(body['messages']).toMatchObject([{}, { content: [{ type: 'text', text: 'So' }] }])
  expect(JSON.stringify(body)).not.toContain('thinking')
})

test.each([
  ['Gemini', geminiDetails],
  ['DeepSeek', deepSeekDetails],
])('Anthropic gets nothing that came from %s', async (_, reasoning_details) => {
  const messages = history({ reasoning: 'I must look.', reasoning_details }, 'call_1')
  const body = await sentBody('anthropic', 'claude-opus-5-5', messages)
  expect(JSON.stringify(body)).not.toMatch(/thinking|g1|I must/)
})

test('Gemini gets the signature at the part of its call', async () => {
  const details = [
    { type: 'reasoning.encrypted', format: 'google-gemini-v1', index: 0, data: 'text' },
    { type: 'reasoning.encrypted', format: 'google-gemini-v1', index: 1, id: 'b', data: 'call' },
  ]
  const messages = history({ content: 'Looking.', reasoning_details: details }, 'a', 'b')
  const { contents } = await sentBody('gemini', 'gemini-3.5-flash', messages)
  expect(contents).toMatchObject([
    {},
    {
      role: 'model',
      parts: [
        { text: 'Looking.', thoughtSignature: 'text' },
        { functionCall: { id: 'a' } },
        { functionCall: { id: 'b' }, thoughtSignature: 'call' },
      ],
    },
    {},
  ])
  expect(JSON.stringify(contents)).not.toContain('skip_thought')
})

test('a signature without a call goes to the text, or else to the first call', async () => {
  const details = [{ type: 'reasoning.encrypted', format: 'google-gemini-v1', index: 0, data: 'x' }]
  const sent = async (content: string | undefined, ...ids: readonly string[]) => {
    const turn = { ...(content !== undefined && { content }), reasoning_details: details }
    const { contents } = await sentBody('gemini', 'gemini-2.5-pro', history(turn, ...ids))
    return contents
  }
  expect(await sent('Hm.')).toMatchObject([
    {},
    { parts: [{ text: 'Hm.', thoughtSignature: 'x' }] },
    {},
  ])
  expect(await sent(undefined, 'a')).toMatchObject([{}, { parts: [{ thoughtSignature: 'x' }] }, {}])
})

test.each([
  ['gemini-3-flash-preview', 'skip_thought_signature_validator'],
  ['gemini-4-argon', 'skip_thought_signature_validator'],
  ['gemini-2.5-flash', undefined],
  ['gemma-4-31b-it', undefined],
])('the first call of another provider has the placeholder for %s: %s', async (model, expected) => {
  const messages = history({ reasoning_details: claudeDetails }, 'call_1', 'call_2')
  const { contents } = await sentBody('gemini', model, messages)
  const thoughtSignature = expected
  expect(contents).toEqual([
    expect.anything(),
    {
      role: 'model',
      parts: [
        {
          functionCall: { id: 'call_1', name: 'look', args: {} },
          ...(thoughtSignature !== undefined && { thoughtSignature }),
        },
        { functionCall: { id: 'call_2', name: 'look', args: {} } },
      ],
    },
    expect.anything(),
  ])
})

test.each([
  ['deepseek', deepSeekProfile, 'deepseek-v1'],
  ['moonshot', moonshotProfile, 'moonshot-v1'],
])('%s gets its reasoning as text in a conversation with tools', async (_, profile, own) => {
  const details = deepSeekDetails.map((detail) => ({ ...detail, format: own }))
  const sent = async (turn: AssistantTurn, ...ids: readonly string[]) => {
    const { messages } = await sentBody(profile, 'thinker', history(turn, ...ids))
    return messages
  }
  const turns = [{}, { reasoning_content: 'I must look.' }, {}]
  expect(await sent({ reasoning_details: details }, 'a')).toMatchObject(turns)
  expect(await sent({ reasoning_content: 'I must look.' }, 'a')).toMatchObject(turns)
  expect(await sent({ reasoning: 'I must look.' }, 'a')).toMatchObject(turns)
  const ofHelper = { reasoning: 'I must look.', reasoning_details: details.slice(1) }
  expect(await sent(ofHelper, 'a')).toMatchObject(turns)
  const foreign = { reasoning: 'Let me see.', reasoning_details: claudeDetails }
  expect(await sent(foreign, 'a')).toMatchObject([{}, { reasoning_content: ' ' }, {}])
  const plain = JSON.stringify(await sent({ content: 'Hm.', reasoning_details: details }))
  expect(plain).not.toContain('reasoning')
})

test('OpenRouter gets the details as they came, and none of another maker', async () => {
  const unknown = { type: 'reasoning.text', format: 'unknown', index: 2, text: 'Hm.' }
  const details = [...claudeDetails, unknown, ...geminiDetails, ...deepSeekDetails]
  const messages = history({ reasoning: 'Let me see.', reasoning_details: details }, 'call_1')
  const sent = async (model: string) =>
    (await sentBody(openRouterProfile, model, messages))['messages']
  expect(await sent('anthropic/claude-opus-5.5')).toEqual([
    messages[0],
    {
      role: 'assistant',
      tool_calls: called('call_1'),
      reasoning_details: [...claudeDetails, unknown],
    },
    messages[2],
  ])
  expect(await sent('google/gemini-3.5-flash')).toMatchObject([
    {},
    { reasoning_details: [unknown, ...geminiDetails] },
    {},
  ])
})

test.each([openAiProfile, mistralProfile, customProfile])(
  '$name gets no reasoning of earlier turns',
  async (profile) => {
    const turn = {
      content: 'Hm.',
      reasoning: 'Let me see.',
      reasoning_content: 'Let me see.',
      reasoning_details: claudeDetails,
    }
    const { messages } = await sentBody(profile, 'model', history(turn))
    expect(messages).toEqual([
      { role: 'user', content: 'Look!' },
      { role: 'assistant', content: 'Hm.' },
      { role: 'user', content: 'And?' },
    ])
  },
)

test('a refusal is forwarded as content', async () => {
  const messages = history({ refusal: 'I will not.' })
  const sent = async (profile: typeof openAiProfile) =>
    (await sentBody(profile, 'm', messages))['messages']
  const [first, , last] = messages
  const turns = [first, { role: 'assistant', content: 'I will not.' }, last]
  expect(await sent(openAiProfile)).toEqual(turns)
  expect(await sent(mistralProfile)).toEqual(turns)
  expect(await sentBody('gemini', 'gemini-2.5-pro', messages)).toMatchObject({
    contents: [{}, { parts: [{ text: 'I will not.' }] }, {}],
  })
})

test('a turn of nothing but reasoning is left out', async () => {
  const messages = history({ reasoning: 'Let me see.', reasoning_details: claudeDetails })
  const users = [{ role: 'user' }, { role: 'user' }]
  const sent = await Promise.all([
    sentBody('anthropic', 'claude-opus-5-5', messages),
    sentBody(openRouterProfile, 'anthropic/claude-opus-5.5', messages),
  ])
  for (const body of sent) {
    expect(body['messages']).toMatchObject(users)
    expect(body['messages']).toHaveLength(2)
  }
  const { contents } = await sentBody('gemini', 'gemini-2.5-pro', messages)
  expect(contents).toHaveLength(1)
})
