// Faster tests of the same: stream-endings and breaker of provider-proxy.
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerWith,
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { imagePath } from '../support/sign-payment.ts'
import {
  type Attacked,
  attacked,
  figure,
  finalRecord,
  purchase,
  statusOf,
} from './attacked-gateway.ts'

/** In the gateway, timeouts of a minute and more pass 40 times faster: 15 minutes in 23 seconds. */
const hurry = `const wait = globalThis.setTimeout
globalThis.setTimeout = (work, ms, ...rest) => wait(work, ms >= 60000 ? ms / 40 : ms, ...rest)`
/** More than the failures in a row that close a provider, and than a payer may provoke. */
const thoughts = 24

let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', { prompt_tokens: 8, completion_tokens: 5 }),
    think: (response) => beginStream(response),
    // A tool call that its provider sends as a whole is being written.
    write: (response) => {
      beginStream(response)
      response.write(chunk({ content: 'I write.' }))
    },
    // Requests for images have no messages.
    '': () => undefined,
    count: (response) => {
      beginStream(response)
      const words = setInterval(() => response.write(chunk({ content: ' word' })), 100)
      response.once('close', () => clearInterval(words))
    },
  })
  gateway = await attacked(8, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hurry)}`,
  })
})
afterAll(async () => {
  upstream.close()
  await gateway.stop()
})

const [thinker, honest, patient, writer, streamer, painter, formatter, ponderer] = [
  0, 1, 2, 3, 4, 5, 6, 7,
] as const
const payer = (index: number) => gateway.devnet.payers[index]!
const buying = (index: number, word: string, model: string) => ({
  payer: payer(index),
  body: chatOf(word, { model }),
})

test('requests that make a model think for minutes close no other model, and count against their payer', async () => {
  const think = () => statusOf(gateway, buying(thinker, 'think', 'openai/o3'))
  const statuses = await Promise.all(Array.from({ length: thoughts }, think))
  const other = await statusOf(gateway, buying(honest, 'hello', 'openai/gpt-4.1'))
  const next = await statusOf(gateway, buying(thinker, 'hello', 'openai/gpt-4.1'))
  figure(
    `${thoughts} thoughts: ${[...new Set(statuses)].join(' ')}; another model: ${other}; then: ${next}`,
  )
  expect(other).toBe(200)
  expect(next).toBe(402)
})

test('an answer as a whole that is still arriving after 15 minutes is cut off, and what came is paid for', async () => {
  const response = await purchase(gateway, buying(patient, 'count', 'openai/gpt-4.1'))
  const { cost } = await finalRecord(gateway, response.headers.get('x-payment-id') ?? '')
  const { choices } = await response.json()
  figure(`an answer of 15 minutes: ${response.status}, cost ${cost?.usdc}`)
  expect(choices?.[0]).toMatchObject({ finish_reason: 'length' })
  expect(Number(cost?.usdc)).toBeGreaterThan(1_000)
})

const provoked = 10

test('answers of 15 minutes count against their payer if the model may have thought unseen', async () => {
  const count = async (_: unknown, index: number): Promise<number> => {
    const body = chatOf('count', { model: 'openai/o4-mini', stream: index % 2 === 0 })
    const response = await purchase(gateway, { payer: payer(ponderer), body })
    await response.text()
    return response.status
  }
  const statuses = await Promise.all(Array.from({ length: provoked }, count))
  const next = await statusOf(gateway, buying(ponderer, 'hello', 'openai/gpt-4.1-mini'))
  figure(`${provoked} answers of 15 minutes: ${statuses.join()}; then: ${next}`)
  expect(statuses).toEqual(Array(provoked).fill(200))
  expect(next).toBe(402)
})
const tools = [{ type: 'function', function: { name: 'write' } }]

test.each([
  ['an answer as a whole', writer, {}, 503],
  ['a stream', streamer, { stream: true }, 200],
])(
  'a long tool call that makes %s stop counts against its payer',
  async (_, buyer, fields, status) => {
    const body = chatOf('write', { model: 'openai/gpt-4.1', tools, ...fields })
    const write = () => statusOf(gateway, { payer: payer(buyer), body })
    const statuses = await Promise.all(Array.from({ length: provoked }, write))
    const next = await statusOf(gateway, buying(buyer, 'hello', 'openai/gpt-4.1-mini'))
    figure(`${provoked} tool calls: ${statuses.join()}; then: ${next}`)
    expect(statuses).toEqual(Array(provoked).fill(status))
    expect(next).toBe(402)
  },
)

test('JSON that makes its provider silent for two minutes counts against its payer', async () => {
  const body = chatOf('think of JSON', {
    model: 'openai/gpt-4o',
    response_format: { type: 'json_object' },
  })
  const think = () => statusOf(gateway, { payer: payer(formatter), body })
  const statuses = await Promise.all(Array.from({ length: provoked }, think))
  const next = await statusOf(gateway, buying(formatter, 'hello', 'openai/gpt-4.1-mini'))
  figure(`${provoked} orders of JSON: ${statuses.join()}; then: ${next}`)
  expect(statuses).toEqual(Array(provoked).fill(503))
  expect(next).toBe(402)
})

test('images that take longer than three minutes count against their payer', async () => {
  const body = { prompt: 'a crowd', model: 'openai/gpt-image-1', numberResults: 2 }
  const paint = () => statusOf(gateway, { payer: payer(painter), body, path: imagePath })
  const statuses = await Promise.all(Array.from({ length: provoked }, paint))
  const next = await statusOf(gateway, buying(painter, 'hello', 'openai/gpt-4.1-mini'))
  figure(`${provoked} orders of images: ${statuses.join()}; then: ${next}`)
  expect(statuses).toEqual(Array(provoked).fill(503))
  expect(next).toBe(402)
})
