// A faster test of the same: bill-chat.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { post } from '../support/sign-payment.ts'
import { type Attacked, attacked, figure, finalRecord, purchase } from './attacked-gateway.ts'

const usage = { prompt_tokens: 8, completion_tokens: 20_000, total_tokens: 20_008 }
const model = 'openai/gpt-4.1'

const often = { interval: 5, timeout: 60_000 }

let end = (): void => undefined
let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    long: (response) => {
      beginStream(response)
      response.write(chunk({ content: 'word '.repeat(30_000) }))
      end = () => {
        response.write(chunk({}, { usage }, 'stop'))
        response.end('data: [DONE]\n\n')
      }
    },
  })
  gateway = await attacked(1, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    TRUST_PROXY: 'loopback',
  })
})
afterAll(async () => {
  upstream.close()
  await gateway.stop()
})

const words = Array.from({ length: 14_000 }, (_, word) =>
  ((word * 2_654_435_761) >>> 0).toString(36),
)
const text = words.join(' ').slice(0, 99_000)

/** Messages of 100 KB, none of which has been counted before. */
function largeRequest(length: number, seed: number): string {
  const messages = Array.from({ length }, (_, place) => ({
    role: 'user',
    content: `${seed} ${place} ${text}`,
  }))
  return JSON.stringify({ model, messages, max_tokens: 10 })
}

test('a long answer that ends while unpaid requests fill the queue of texts to count is paid for', async () => {
  const response = await purchase(gateway, {
    payer: gateway.devnet.payers[0]!,
    body: chatOf('long', { model, stream: true, max_tokens: 30_000 }),
  })
  const id = response.headers.get('x-payment-id') ?? ''
  const statuses: number[] = []
  async function ask(length: number, seed: number): Promise<number> {
    const headers = { 'X-Forwarded-For': `192.0.2.${seed % 8}` }
    const asked = await post(gateway, '/v1/estimate', { body: largeRequest(length, seed), headers })
    await asked.arrayBuffer()
    statuses.push(asked.status)
    return asked.status
  }
  const isFull = (from: number) => statuses.slice(from).some((status) => status >= 500)
  // Large ones fill most of the queue, small ones the rest.
  const filling = Array.from({ length: 34 }, (_, seed) => ask(40, seed))
  await expect.poll(() => isFull(0), often).toBe(true)
  const full = statuses.length
  for (let seed = 100; seed < 140; seed += 1) filling.push(ask(1, seed))
  await expect.poll(() => isFull(full), often).toBe(true)
  end()
  await response.text()
  const record = await finalRecord(gateway, id)
  await Promise.all(filling)
  figure(
    `refused: ${statuses.filter((status) => status !== 200).join()}; cost ${record.cost?.usdc}`,
  )
  expect(Number(record.cost?.usdc)).toBeGreaterThan(100_000)
})
