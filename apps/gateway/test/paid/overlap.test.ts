import type { ServerResponse } from 'node:http'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn, type TestGateway } from '../support/open-gateway.ts'

const usage = { prompt_tokens: 1, completion_tokens: 4 }

let devnet: Devnet
let upstream: UpstreamServer
let gateway: TestGateway
/** What happens when the provider is called. */
let onCall: (response: ServerResponse) => Promise<void> | void = () => undefined

beforeAll(async () => {
  devnet = await startDevnet()
  upstream = await openUpstream({
    hello: (response) => void Promise.resolve(onCall(response)),
  })
  gateway = await openGatewayOn(devnet, {
    SETTLE_MODE: 'overlap',
    OPENROUTER_API_KEY: 'key-1',
    OPENROUTER_BASE_URL: upstream.url,
  })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
  await devnet.stop()
})

test.each([true, false])(
  'the provider is called before a block settles the payment, and no byte is sent; stream: %s',
  async (stream) => {
    const payer = stream ? 0 : 1
    const { address } = gateway.payer(payer)
    const before = await devnet.usdcBalance(address)
    let answered = false
    onCall = async (response) => {
      answerWith(response, 'Hello to you.', usage)
      await expect
        .poll(() => devnet.rpc('eth_getBlockTransactionCountByNumber', ['pending']))
        .toBe('0x1')
      expect(await devnet.usdcBalance(address)).toBe(before)
      expect(answered).toBe(false)
      await devnet.setAutomine('on')
      await devnet.mine(1)
    }
    await devnet.setAutomine('off')
    const response = await buy(gateway, payer, { body: chatOf('hello', { stream }) })
    answered = true
    expect(response.status).toBe(200)
    expect(response.headers.get('payment-response')).not.toBeNull()
    expect(await response.text()).toContain('Hello to you.')
    const id = response.headers.get('x-payment-id') ?? ''
    expect((await gateway.refunded(id)).status).toBe('completed')
  },
)

test('a settlement that reverts ends the call, and nothing that it made is sent', async () => {
  const { address } = gateway.payer(2)
  const called = upstream.arrived.length
  onCall = async (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Hello to you."}}]}\n\n')
    await expect
      .poll(() => devnet.rpc('eth_getBlockTransactionCountByNumber', ['pending']))
      .toBe('0x1')
    await devnet.blacklist(address)
    await devnet.setAutomine('on')
    await devnet.mine(1)
  }
  await devnet.setAutomine('off')
  const response = await buy(gateway, 2, { body: chatOf('hello', { stream: true }) })
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('Hello')
  const arrived = upstream.arrived[called]
  await expect.poll(() => arrived?.abortedAt).toBeGreaterThan(0)
  expect((await gateway.record(response.headers.get('x-payment-id') ?? '')).status).toBe('unknown')
})
