import { expect, onTestFinished, test } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { chatPath, post } from '../support/sign-payment.ts'

const body = {
  model: 'openai/gpt-4.1-mini',
  messages: [{ role: 'user', content: 'A word, please.' }],
  response_format: { type: 'json_object' },
}

test.each([
  ["OpenAI's own address, which rejects it", {}, 400],
  ['another address', { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, 402],
])('JSON mode without the word JSON at %s', async (_, settings, status) => {
  const gateway = await openGateway({ OPENAI_API_KEY: 'sk-any', ...settings })
  onTestFinished(() => gateway.stop())
  expect((await post(gateway, chatPath, { body })).status).toBe(status)
})
