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

const encrypted = ['a', 'b'].map((data) => ({
  type: 'reasoning.encrypted',
  index: 0,
  id: data,
  data,
}))
const signed = ['c', 'd'].map((text) => ({
  type: 'reasoning.text',
  index: 0,
  text,
  signature: text,
}))
const details = [...encrypted, ...signed]
const [first] = chunks
const sealed = {
  completion: completion({ content: 'Yes.', reasoning_details: details }, 'stop'),
  chunks: details.flatMap((detail) =>
    first === undefined
      ? []
      : [
          {
            ...first,
            choices: [{ index: 0, delta: { reasoning_details: [detail] }, finish_reason: null }],
          },
        ],
  ),
}

test.each([
  [
    'messages',
    messagesWire,
    { model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'a' }] },
  ],
  ['responses', responsesWire, { input: 'a' }],
])(
  '%s: steps with the same index keep each their own seal, whole and streamed',
  (_, wire, body) => {
    const read = wire.read(body)
    if (read.status === 'refused') throw new Error(read.problem.message)
    const stream = read.reply.openStream({ inputTokens: 1 })
    const events = sealed.chunks.map((chunk) => stream.push(chunk)).join('') + stream.end()
    for (const text of [JSON.stringify(read.reply.body(sealed.completion)), events]) {
      for (const seal of ['data', 'signature']) {
        const found = [...text.matchAll(new RegExp(`\\\\"${seal}\\\\":\\\\"(\\w)`, 'g'))].map(
          ([, one]) => one,
        )
        expect([...new Set(found)]).toEqual(seal === 'data' ? ['a', 'b'] : ['c', 'd'])
      }
    }
  },
)
