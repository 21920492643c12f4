import { afterEach, expect, test } from 'vitest'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

let gateway: TestGateway
afterEach(() => gateway.stop())

const body = {
  model: 'openai/gpt-4.1-mini',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 3000,
}

test.each(['0.0001', '0'])('a refund above the cap of %s is blocked', async (cap) => {
  gateway = await openGateway({ REFUND_CAP_USDC: cap })
  const { v2, quoted } = await signPayment(gateway, 0, { body })
  const response = await post(gateway, chatPath, { body, headers: v2 })
  await response.text()
  const id = response.headers.get('x-payment-id') ?? ''
  const status = async () => (await gateway.record(id)).refund?.status
  await expect.poll(status).toBe('blocked')
  expect(await gateway.balance(gateway.payments.treasury)).toBe(quoted)
})
