import Anthropic from '@anthropic-ai/sdk'
import type { ChatChunk } from '@farebox/api'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { messagesWire, responsesWire } from '../src/index.ts'
import { completion } from './support/answer.ts'
import { openWireServer } from './support/wire-server.ts'

/** Gemini signs its answers apart from its thoughts. */
const thought = {
  reasoning: 'Hm.',
  reasoning_details: [{ type: 'reasoning.encrypted', format: 'google-gemini-v1', data: 'sig' }],
  content: 'Yes.',
}

const chunks: readonly ChatChunk[] = [
  {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'acme/thinker',
    choices: [{ index: 0, delta: thought, finish_reason: 'stop' }],
  },
]
const answer = { completion: completion(thought, 'stop'), chunks: [...chunks] }

describe('thoughts together with an encrypted step', () => {
  test('are thinking of a message, whole and streamed', async () => {
    const { url } = await openWireServer(messagesWire, [answer, answer].values())
    const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries: 0 })
    const asks: Anthropic.MessageCreateParamsNonStreaming = {
      model: 'acme/thinker',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Well?' }],
    }
    const blocks = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'redacted_thinking' },
      { type: 'text', text: 'Yes.' },
    ]
    expect((await client.messages.create(asks)).content).toMatchObject(blocks)
    expect((await client.messages.stream(asks).finalMessage()).content).toMatchObject(blocks)
  })

  test('are a reasoning item of a response, whole and streamed', async () => {
    const { url } = await openWireServer(responsesWire, [answer, answer].values())
    const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 })
    const asks = { model: 'acme/thinker', input: 'Well?' }
    const items = [
      { type: 'reasoning', summary: [{ text: 'Hm.' }] },
      { type: 'reasoning', summary: [] },
      { type: 'message', content: [{ text: 'Yes.' }] },
    ]
    expect((await client.responses.create(asks)).output).toMatchObject(items)
    expect((await client.responses.stream(asks).finalResponse()).output).toMatchObject(items)
  })
})
