import { expect, test } from 'vitest'
import { testStage } from '../support/test-stage.ts'

const hello = { messages: [{ role: 'user', content: 'Hello' }] } as const
const stage = testStage()

test('a redirect of a paid request is not followed, and the error names it and the payment', async () => {
  const settlement = Buffer.from('{"success":true}').toString('base64')
  const location = `${stage.gateway.url}/elsewhere`
  stage.gateway.paid = [
    (response) => {
      response.writeHead(307, { location }).end()
    },
    (response) => {
      const paid = { 'x-payment-id': 'pay_1', 'payment-response': settlement }
      response.writeHead(303, { location, ...paid }).end()
    },
  ]
  await expect(stage.connect().chat(hello)).rejects.toMatchObject({
    code: 'invalid_response',
    status: 307,
    paymentId: undefined,
    message: expect.stringContaining(
      `to ${location}, which may have what was bought. The payment was not sent there; it may have been`,
    ),
  })
  // One with a receipt is what was bought.
  await expect(stage.connect().chat(hello)).rejects.toMatchObject({
    status: 303,
    paymentId: 'pay_1',
    message: 'The server responded with status 303.',
  })
  expect(stage.gateway.arrivals.map(({ path }) => path)).not.toContain('/elsewhere')
})
