import { type ChatRequest, chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import { requestBody as anthropicBody } from '../../src/anthropic/request-body.ts'
import { thoughtBinding } from '../../src/anthropic/thinking.ts'
import { requestBody as geminiBody } from '../../src/gemini/request-body.ts'
import {
  anthropicLimits,
  type ChatCall,
  countedMessages,
  geminiLimits,
  mistralProfile,
  type RequestLimits,
} from '../../src/index.ts'
import { requestBody as openAiBody } from '../../src/openai/request-body.ts'
import { chatCall } from '../support/call.ts'
import { shippedProfiles } from '../support/shipped-profiles.ts'

type Provider = {
  readonly limits: RequestLimits
  readonly body: (call: ChatCall) => string
}

const providers: readonly (readonly [string, Provider])[] = [
  [
    'anthropic',
    {
      limits: anthropicLimits,
      body: (call: ChatCall) => anthropicBody(call, thoughtBinding(call)),
    },
  ],
  ['gemini', { limits: geminiLimits, body: geminiBody }],
  ...shippedProfiles().map((profile): [string, Provider] => [
    profile.name,
    { limits: profile, body: (call) => openAiBody(call, profile) },
  ]),
]

const formats = ['anthropic-claude-v1', 'google-gemini-v1', 'deepseek-v1', 'moonshot-v1']
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const user = { role: 'user', content: 'hi' }
const details = formats.flatMap((format, index) => [
  { type: 'reasoning.text', format, index, text: `<text of ${format}>`, signature: `<${index}>` },
  { type: 'reasoning.encrypted', format, index, data: `<data of ${format}>`, id: 'a' },
])

function requests(reasoning: object): readonly ChatRequest[] {
  const said = { role: 'assistant', content: 'So.', ...reasoning }
  const called = { role: 'assistant', tool_calls: [call], ...reasoning }
  const result = { role: 'tool', tool_call_id: 'a', content: 'done' }
  const tools = [{ type: 'function', function: { name: 'f' } }]
  return [{ messages: [user, said, user] }, { messages: [user, called, result], tools }].map(
    (body) => chatRequestSchema.parse(body),
  )
}

const given = [
  ...requests({ reasoning_details: details }),
  ...requests({ reasoning: '<reasoning>', reasoning_content: '<reasoning_content>' }),
]

test.each(providers)('what %s is sent of earlier reasoning is kept', (_, { limits, body }) => {
  for (const request of given) {
    const sent = body({ ...chatCall('hi', { upstreamModel: 'gemini-3-pro' }), request })
    const kept = JSON.stringify(countedMessages(request, [limits]))
    expect((sent.match(/<[^>]+>/g) ?? []).filter((text) => !kept.includes(text))).toEqual([])
  }
})

test('what none of the providers is sent is left out', () => {
  const [dropping, detailed] = [{ reasoning: 'dropped' }, { reasoning: 'details' }] as const
  for (const request of given) {
    const kept = JSON.stringify(countedMessages(request, [{ messages: dropping }]))
    expect(kept).not.toContain('<')
    const both = [{ messages: dropping }, { messages: detailed }]
    expect(JSON.stringify(countedMessages(request, both))).not.toContain('<reasoning')
  }
})

test('the answer that Mistral is sent between a result and the user is counted', () => {
  const [, called] = requests({})
  const request = chatRequestSchema.parse({ messages: [...(called?.messages ?? []), user] })
  const sent = JSON.parse(openAiBody({ ...chatCall('hi'), request }, mistralProfile)).messages
  const answers = (messages: readonly { content?: unknown }[]) =>
    messages.filter(({ content }) => content === 'OK.').length
  expect(answers(sent)).toBe(1)
  expect(answers(countedMessages(request, [anthropicLimits, mistralProfile]))).toBe(1)
  expect(answers(countedMessages(request, [anthropicLimits]))).toBe(0)
})

test('the pieces of a step are one step', () => {
  const pieces = ['It ', 'is ', 'so.'].map((text) => ({ type: 'reasoning.text', index: 0, text }))
  const signed = { type: 'reasoning.text', index: 0, signature: 's' }
  const next = { type: 'reasoning.text', index: 1, text: 'And so on.' }
  const [request] = requests({ reasoning_details: [...pieces, signed, next] })
  if (request === undefined) throw new Error('no request')
  const [, answer] = countedMessages(request, [anthropicLimits])
  expect(answer).toMatchObject({
    reasoning_details: [{ ...signed, text: 'It is so.' }, next],
  })
})
