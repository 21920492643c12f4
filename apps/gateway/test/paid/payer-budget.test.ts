import { type Devnet, startDevnet } from '@farebox/devnet'
import type { PaymentRecord } from '@farebox/ledger'
import { defaultPaymentPolicy } from '@farebox/payments'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerWith,
  beginStream,
  chunk,
  openUpstream,
  type UpstreamServer,
} from '../contract/upstream-server.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGatewayOn, type PublicRecord, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

const { faultsPerPayer } = defaultPaymentPolicy
const usage = { prompt_tokens: 8, completion_tokens: 500, total_tokens: 508 }

let devnet: Devnet
let upstream: UpstreamServer
let gateway: TestGateway

beforeAll(async () => {
  devnet = await startDevnet({ payers: 9 })
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', usage),
    malformed: (response) => {
      response.writeHead(400, { 'Content-Type': 'application/json' })
      response.end('{"error":{"message":"Invalid image","type":"invalid_request_error"}}')
    },
    silent: () => undefined,
    filtered: (response) => {
      beginStream(response)
      response.write(chunk({ content: 'A long text' }))
      response.end('data: {"error":{"code":"data_inspection_failed","message":"Filtered"}}\n\n')
    },
    nameless: (response) => {
      beginStream(response)
      response.write(chunk({ content: 'I look.' }))
      response.write(chunk({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] }))
      response.write(chunk({}, {}, 'tool_calls'))
      response.end('data: [DONE]\n\n')
    },
    uncalled: (response) => {
      response.writeHead(400, { 'Content-Type': 'application/json' })
      response.end('{"error":{"code":"tool_use_failed","failed_generation":"maybe"}}')
    },
  })
  gateway = await openGatewayOn(devnet, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    RESUME_SECONDS: '1',
  })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
  await devnet.stop()
})

const hello = chatOf('hello', { model: 'openai/gpt-4.1', stream: true })

/** Pays, and disconnects while the settlement waits for its block. */
async function leaveEarly(payer: number, headers: Readonly<Record<string, string>>) {
  const leaving = new AbortController()
  await devnet.setAutomine('off')
  const answering = fetch(gateway.url + chatPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(hello),
    signal: leaving.signal,
  })
  await expect.poll(() => paymentOf(payer)).toBeDefined()
  leaving.abort()
  await answering.catch(() => undefined)
  // A response to a later request shows that the gateway has seen the connection close.
  await fetch(`${gateway.url}/v1/health`)
  await devnet.setAutomine('on')
  await devnet.mine(1)
  return String(await paymentOf(payer))
}

/** How many payments the ledger has. */
async function payments(): Promise<number> {
  let count = 0
  for await (const _ of gateway.store.exportPayments()) count += 1
  return count
}

/** The only payment of a payer, once it is claimed. */
async function paymentOf(payer: number): Promise<string | undefined> {
  const address = gateway.payer(payer).address.toLowerCase()
  for await (const { payment } of gateway.store.exportPayments()) {
    if (payment.authorization.from === address) return payment.id
  }
  return undefined
}

test('a client that disconnects before the service begins and does not repeat its request pays the minimum charge', async () => {
  const { v2, quoted } = await signPayment(gateway, 0, { body: hello })
  const id = await leaveEarly(0, v2)
  const record: PublicRecord = await gateway.refunded(id)
  expect(record).toMatchObject({ status: 'completed', cost: { usdc: '1000' } })
  expect(record.refund?.usdc).toBe(String(quoted - 1_000n))
  expect(upstream.arrived).toHaveLength(0)
})

test('a client that disconnects and repeats the identical request is served at its cost', async () => {
  const { v2 } = await signPayment(gateway, 1, { body: hello })
  const id = await leaveEarly(1, v2)
  await expect.poll(async () => (await gateway.record(id)).status).toBe('settled')
  // Until the first request has let go of the payment, its repetition is a 503.
  const repeat = () => post(gateway, chatPath, { body: hello, headers: v2 })
  await expect.poll(async () => (await repeat()).text()).toContain('hello')
  expect(await gateway.record(id)).toMatchObject({
    status: 'completed',
    cost: { usdc: String(8 * 2 + 500 * 8) },
  })
})

test('a payer whose requests the provider rejects again and again gets a 402 that states the end', async () => {
  await expectRefusal(2, { word: 'malformed', status: 500 })
})

test('so does a payer whose requests provoke calls that the model does not write', async () => {
  await expectRefusal(4, { word: 'uncalled', status: 503 })
})

test('so does a payer whose responses the provider withholds when the model has written them', async () => {
  await expectRefusal(6, { word: 'filtered', status: 500 })
})

test('so does a payer whose streams the provider withholds after thoughts that it does not show', async () => {
  const fields = { model: 'openai/o3', stream: true }
  await expectRefusal(7, { word: 'filtered', status: 200, fields })
})

test('so does a payer whose streams end with a call that cannot be used, after thoughts that are not shown', async () => {
  const fields = { model: 'openai/o3', stream: true }
  await expectRefusal(8, { word: 'nameless', status: 200, fields })
})

test('so does a payer whose client leaves long inputs again and again before the first word', async () => {
  for (let purchase = 0; purchase < faultsPerPayer; purchase += 1) await leaveLongInput(5)
  const refused = await buy(gateway, 5, { body: hello })
  expect(refused.status).toBe(402)
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining('ended unserved') })
})

/** Leaves when the provider has an input that costs more than a cent. */
async function leaveLongInput(payer: number): Promise<void> {
  const body = chatOf(`silent ${'word '.repeat(6_000)}`, { model: 'openai/gpt-4.1' })
  const leaving = new AbortController()
  const { v2 } = await signPayment(gateway, payer, { body })
  const arrived = upstream.arrived.length
  const answering = fetch(gateway.url + chatPath, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...v2 },
    body: JSON.stringify(body),
    signal: leaving.signal,
  })
  await expect.poll(() => upstream.arrived.length).toBe(arrived + 1)
  leaving.abort()
  await answering.catch(() => undefined)
  await expect.poll(async () => (await lastPayment()).status).toBe('completed')
}

/** The payment that was claimed last. */
async function lastPayment(): Promise<PaymentRecord> {
  const records: PaymentRecord[] = []
  for await (const { payment } of gateway.store.exportPayments()) records.push(payment)
  return records.at(-1)!
}

type Provoked = { readonly word: string; readonly status: number; readonly fields?: object }

async function expectRefusal(payer: number, { word, status, fields }: Provoked): Promise<void> {
  const body = chatOf(word, { model: 'openai/gpt-4.1', ...fields })
  for (let purchase = 0; purchase < faultsPerPayer; purchase += 1) {
    const response = await buy(gateway, payer, { body })
    expect(response.status).toBe(status)
    await response.text()
  }
  const before = await payments()
  const refused = await buy(gateway, payer, { body: hello })
  expect(refused.status).toBe(402)
  const { message } = (await refused.json()) as { message: string }
  const until = /ended unserved.* refused until (20\d\d-\S+Z)/.exec(message)?.[1] ?? ''
  const minutes = (Date.parse(until) - Date.now()) / 60_000
  expect(minutes).toBeGreaterThan(5)
  expect(minutes).toBeLessThanOrEqual(10)
  expect(await payments()).toBe(before)
  expect((await buy(gateway, 3, { body: hello })).status).toBe(200)
}
