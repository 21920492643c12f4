import type Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { textAnswer } from '../support/answer.ts'
import { openMessages } from '../support/messages-client.ts'

const asks = {
  model: 'acme/thinker',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Weather in Rome?' }] as Anthropic.MessageParam[],
}

test.each([
  ['leaves out', {}, null],
  [
    'states the known',
    { completion_tokens_details: { reasoning_tokens: 5 } },
    { thinking_tokens: 5 },
  ],
])(
  'usage that is counted here %s thinking tokens, whole and streamed',
  async (_, thoughts, details) => {
    const counts = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70, ...thoughts }
    const usage = { ...counts, source: 'counted' as const }
    const { chunks, completion } = textAnswer
    const answer = {
      chunks: chunks.map((chunk) => ('usage' in chunk ? { ...chunk, usage } : chunk)),
      completion: { ...completion, usage },
    }
    const { client } = await openMessages(answer, answer)
    const whole = await client.messages.create(asks)
    let last: unknown
    for await (const event of await client.messages.create({ ...asks, stream: true })) {
      if (event.type === 'message_delta') last = event.usage
    }
    for (const given of [whole.usage, last]) {
      expect(given).toMatchObject({ output_tokens: 20, output_tokens_details: details })
    }
  },
)
