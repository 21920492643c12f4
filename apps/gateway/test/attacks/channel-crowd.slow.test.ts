// Faster tests of the same: calls of channels in the ledger's conformance suite, and call-limits.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath } from '../support/sign-payment.ts'
import { type Attacked, attacked, figure, pause } from './attacked-gateway.ts'
import { channelClient } from './channel-client.ts'

const usage = { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13 }
const attackers = 20

let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', usage),
    wait: () => undefined,
  })
  gateway = await attacked(attackers + 1, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    CHANNELS: 'on',
    CHANNEL_MAX_UNCLAIMED_TOTAL_USDC: '0.4',
  })
})
afterAll(async () => {
  upstream.close()
  await gateway.stop()
})

test('twenty wallets with calls in flight leave room for the call of another', async () => {
  const [newcomer, ...crowd] = gateway.devnet.payers.map((payer) => channelClient(gateway, payer))
  const leaving = new AbortController()
  const ask = (client: typeof fetch, word: string, tokens: number) =>
    client(gateway.url + chatPath, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(chatOf(word, { model: 'openai/gpt-4.1', max_tokens: tokens })),
      signal: leaving.signal,
    })
  let [sent, refused] = [0, 0]
  for (const tokens of [2_500, 250, 25]) {
    for (const client of crowd) {
      sent += 1
      void ask(client, 'wait', tokens).then(
        () => (refused += 1),
        () => undefined,
      )
    }
    while (upstream.arrived.length + refused < sent) await pause(0.1)
  }
  const held = upstream.arrived.length
  const status = (await ask(newcomer!, 'hello', 16)).status
  figure(`${attackers} wallets hold ${held} calls in flight; another one's call: ${status}`)
  leaving.abort()
  expect(held).toBeGreaterThan(0)
  expect(status).toBe(200)
})
