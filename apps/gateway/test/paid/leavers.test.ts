import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { openGateway, type PublicRecord, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, signPayment } from '../support/sign-payment.ts'

const thoughts = 30_000
const words = 'word '.repeat(30)
const usage = {
  prompt_tokens: 20,
  completion_tokens: thoughts + 30,
  total_tokens: thoughts + 50,
  completion_tokens_details: { reasoning_tokens: thoughts },
}

let upstream: UpstreamServer
let gateway: TestGateway

function finish(response: ServerResponse): void {
  response.write(chunk({}, { usage }, 'stop'))
  response.end('data: [DONE]\n\n')
}

beforeAll(async () => {
  upstream = await openUpstream({
    think: (response) => {
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: words }))
      setTimeout(() => finish(response), 300)
    },
    late: (response) => {
      beginStream(response)
      setTimeout(() => {
        response.write(chunk({ role: 'assistant', content: words }))
        finish(response)
      }, 500)
    },
    silent: () => undefined,
    quiet: (response) => {
      beginStream(response)
      response.write(chunk({ role: 'assistant', content: words }))
    },
  })
  gateway = await openGateway({
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    MIN_CHARGE_USDC: '0.000002',
  })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
})

type Leaving = {
  readonly model: string
  readonly text: string
  readonly stream?: boolean
  readonly leaveAfter: 'arrival' | 'first byte'
}

/** Pays, leaves, and gives the payment once it is final. */
async function leave(
  payer: number,
  { model, text, stream = true, leaveAfter }: Leaving,
): Promise<PublicRecord> {
  const body = chatOf(text, { model, stream, max_tokens: 32_000 })
  const { v2 } = await signPayment(gateway, payer, { body })
  const arrived = upstream.arrived.length
  const leaving = new AbortController()
  const answering = fetch(gateway.url + chatPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...v2 },
    body: JSON.stringify(body),
    signal: leaving.signal,
  })
  if (leaveAfter === 'first byte') await (await answering).body?.getReader().read()
  else await expect.poll(() => upstream.arrived.length).toBe(arrived + 1)
  leaving.abort()
  await answering.catch(() => undefined)
  return gateway.refunded(await paymentOf(gateway.payer(payer).address))
}

/** The only payment of a payer. */
async function paymentOf(address: string): Promise<string> {
  for await (const { payment } of gateway.store.exportPayments()) {
    if (payment.authorization.from === address.toLowerCase()) return payment.id
  }
  throw new Error(`${address} paid nothing`)
}

test.each([
  ['openai/o3', 240_280n],
  ['openai/gpt-5', 300_325n],
])('%s: a client that leaves after the answer pays for the reasoning too', async (model, cost) => {
  const left = { model, text: 'think', leaveAfter: 'first byte' } as const
  const record = await leave(model === 'openai/o3' ? 1 : 2, left)
  expect(record).toMatchObject({ status: 'completed', usage: { source: 'provider' } })
  expect(BigInt(record.cost?.usdc ?? '0')).toBe(cost)
})

test.each([
  ['a stream', true, 3],
  ['JSON', false, 4],
] as const)(
  '%s: a client that leaves before the first byte pays for the reasoning too',
  async (_, stream, payer) => {
    const record = await leave(payer, {
      model: 'openai/o3',
      text: 'late',
      stream,
      leaveAfter: 'arrival',
    })
    expect(record).toMatchObject({ status: 'completed', cost: { usdc: '240280' } })
  },
)

test.each([
  ['a stream', true, 5],
  ['JSON', false, 6],
] as const)(
  '%s: a client that leaves before the first byte of a model that does not reason pays the minimum charge',
  async (_, stream, payer) => {
    const text = `silent ${'word '.repeat(2_000)}`
    const record = await leave(payer, {
      model: 'openai/gpt-4.1',
      text,
      stream,
      leaveAfter: 'arrival',
    })
    expect(record).toMatchObject({
      status: 'completed',
      cost: { usdc: '2' },
      usage: { inputTokens: 0, outputTokens: 0, source: 'counted' },
    })
    await expect.poll(() => upstream.arrived.at(-1)?.abortedAt).toBeDefined()
  },
)

test('a client that leaves a model that does not reason pays for the input and the text', async () => {
  const left = { model: 'openai/gpt-4.1', text: 'quiet', leaveAfter: 'first byte' } as const
  const record = await leave(7, left)
  expect(record.usage).toMatchObject({ inputTokens: 8, outputTokens: 31, source: 'counted' })
  expect(record.cost).toMatchObject({ usdc: String(8 * 2 + 31 * 8) })
})
