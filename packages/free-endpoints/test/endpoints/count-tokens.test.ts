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
