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

/** Whether one of them is, at once; otherwise when all are answered. */
async function isOneRefused(statuses: readonly Promise<number>[]): Promise<boolean> {
  const refusals = statuses.map(async (status) => {
    if ((await status) < 500) throw new Error('served')
  })
  return Promise.any(refusals).then(
    () => true,
    () => false,
  )
}

test('a long answer that ends while unpaid requests fill the queue of texts to count is paid for', async () => {
  const response = await purchase(gateway, {
    payer: gateway.devnet.payers[0]!,
    body: chatOf('long', { model, stream: true, max_tokens: 30_000 }),
  })
  const id = response.headers.get('x-payment-id') ?? ''
  const sent: Promise<number>[] = []
  function ask(length: number): Promise<number> {
    const seed = sent.length
    const headers = { 'X-Forwarded-For': `192.0.2.${seed % 8}` }
    const body = largeRequest(length, seed)
    const asked = post(gateway, '/v1/estimate', { body, headers })
    const status = asked.then(async (answer) => {
      await answer.arrayBuffer()
      return answer.status
    })
    sent.push(status)
    return status
  }
  /** Larger and larger bursts, until one of the requests is refused: a fast gateway counts many meanwhile. */
  async function fill(length: number): Promise<void> {
    for (let size = 34; ; size *= 2) {
      const burst = Array.from({ length: size }, () => ask(length))
      if (await isOneRefused(burst)) return
    }
  }
  // Large ones fill most of the queue, small ones the rest.
  await fill(40)
  await fill(1)
  end()
  await response.text()
  const record = await finalRecord(gateway, id)
  const refused = (await Promise.all(sent)).filter((status) => status === 503)
  figure(`${refused.length} of ${sent.length} refused with 503; cost ${record.cost?.usdc}`)
  expect(Number(record.cost?.usdc)).toBeGreaterThan(100_000)
})
