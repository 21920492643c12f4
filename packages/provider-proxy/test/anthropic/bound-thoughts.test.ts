import { chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import { createAnthropicProvider } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { closingAfterEach } from '../support/closing.ts'
import { scriptedProviders } from '../support/scripted-provider.ts'
import { finish, start } from './events.ts'

const setUp = scriptedProviders(
  (url) => createAnthropicProvider({ apiKey: 'key-1', baseUrl: `${url}/v1` }),
  closingAfterEach(),
)

const format = 'anthropic-claude-v1'
const thought = { type: 'reasoning.text', format, text: 'Hm.', signature: 'signed' }
const returned = { role: 'assistant', content: 'Yes.', reasoning_details: [thought] }
const plain = { role: 'assistant', content: 'Yes.' }

async function sent(upstreamModel: string, answer: object, fields: object = {}) {
  const { provider, server } = await setUp(start + finish('end_turn'))
  const asked = { role: 'user', content: 'Well?' }
  const request = chatRequestSchema.parse({ messages: [asked, answer, asked], ...fields })
  for await (const _ of (await provider.open(chatCall('hi', { upstreamModel, request }))).events);
  const [first] = server.received
  if (first === undefined) throw new Error('nothing was sent')
  const { thinking, messages } = first.body
  return { beta: first.headers['anthropic-beta'], thinking, messages }
}

const beta = 'thinking-binding-controls-2026-08-01'
const block_binding = { prefix_mismatch_behavior: 'drop_block' }

test.each([
  'claude-fable-5-1',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5-20261001',
])('%s leaves out a returned thought whose conversation has changed', async (model) => {
  expect(await sent(model, returned)).toMatchObject({
    beta,
    thinking: { type: 'adaptive', block_binding },
    messages: [{}, { content: [{ type: 'thinking' }, { type: 'text' }] }, {}],
  })
  const effort = { reasoning_effort: 'high' }
  const thinking = { type: 'adaptive', display: 'summarized', block_binding }
  expect(await sent(model, returned, effort)).toMatchObject({ beta, thinking })
  expect(await sent(model, plain)).toMatchObject({ beta: undefined, thinking: undefined })
})

test.each(['claude-opus-5-20260601', 'claude-sonnet-4-6'])(
  '%s checks no conversation, and is sent no binding',
  async (model) => {
    expect(await sent(model, returned)).toMatchObject({ beta: undefined, thinking: undefined })
  },
)

test.each([
  ['claude-haiku-5-5', { reasoning_effort: 'none' }, 'disabled'],
  ['claude-sonnet-5-5', { reasoning_effort: 'none' }, 'between_tools'],
  ['claude-sonnet-5-5', { reasoning: { enabled: false } }, 'between_tools'],
])(
  'a bound thought is not returned where a request switches thinking off: %s',
  async (model, off, type) => {
    expect(await sent(model, returned, off)).toEqual({
      beta: undefined,
      thinking: { type },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
      ],
    })
  },
)
