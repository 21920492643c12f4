// A faster test of the same: unserved-calls of payments.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { chatPath } from '../support/sign-payment.ts'
import { type Attacked, attacked, figure } from './attacked-gateway.ts'
import { channelClient } from './channel-client.ts'

const asked = 30

let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    nameless: (response) => {
      beginStream(response)
      const call = { name: '', arguments: '{"path":"a"}' }
      response.write(chunk({ tool_calls: [{ index: 0, id: 'a', function: call }] }))
      response.write(chunk({}, {}, 'tool_calls'))
      response.end('data: [DONE]\n\n')
    },
  })
  gateway = await attacked(1, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    CHANNELS: 'on',
  })
})
afterAll(async () => {
  upstream.close()
  await gateway.stop()
})

test('calls by channel that make a model write what cannot be used are refused after ten', async () => {
  const [payer] = gateway.devnet.payers
  const client = channelClient(gateway, payer!)
  const statuses: number[] = []
  for (let call = 0; call < asked; call += 1) {
    const response = await client(gateway.url + chatPath, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(chatOf('nameless', { model: 'openai/gpt-4.1', seed: call })),
    })
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  figure(`${asked} calls: the provider was called ${upstream.arrived.length} times`)
  expect(upstream.arrived).toHaveLength(10)
  expect(statuses.slice(10).every((status) => status === 402)).toBe(true)
})
