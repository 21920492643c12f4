import { createTokenCounter } from '@farebox/tokenizer/node'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { serveShipped } from './serve-shipped.ts'

const counter = createTokenCounter()
const server = serveShipped(counter).listen(0)
afterAll(async () => {
  server.close()
  await counter.close()
})

test('a count that is refused advises no value of a chat completion', async () => {
  const { body } = await request(server)
    .post('/v1/messages/count_tokens')
    .send({
      model: 'aion-labs/aion-2.0',
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    .expect(400)
  const field = 'tool_choice.disable_parallel_tool_use'
  expect(body.error.message).toBe(
    `${field} is not supported with aion-labs/aion-2.0. Remove it or choose another model.`,
  )
})

test.each(['anthropic/claude-sonnet-4.5', 'anthropic/claude-opus-4.6', 'google/gemini-2.5-flash'])(
  'a thinking budget for %s adds nothing to the count',
  async (model) => {
    const asked = { model, messages: [{ role: 'user', content: 'Hello' }] }
    const count = request(server).post('/v1/messages/count_tokens')
    const plain = await count.send(asked).expect(200)
    const { body } = await request(server)
      .post('/v1/messages/count_tokens')
      .send({ ...asked, thinking: { type: 'enabled', budget_tokens: 10_000 } })
      .expect(200)
    expect(plain.body.input_tokens).toBeGreaterThan(0)
    expect(body).toEqual(plain.body)
  },
)
