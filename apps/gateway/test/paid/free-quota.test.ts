import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { buy, chatOf, eventsOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post } from '../support/sign-payment.ts'

const quota = { FREE_QUOTA_USDC: '0.005', FREE_QUOTA_TOTAL_USDC: '0.025' }
const lines: Record<string, unknown>[] = []
const logger = pino(
  {},
  { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
)
let folder: string
let gateway: TestGateway

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-free-'))
  gateway = await openGateway({ DATA_DIR: folder, ...quota }, logger)
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

/** The quote of gpt-4.1-mini for 2,000 tokens of output is 0.003525 USDC, the bill 0.001. */
function ask(address: string, body: unknown = chatOf('What is free?'), path = chatPath) {
  return post(gateway, path, { body, headers: { 'X-Forwarded-For': address } })
}

const remaining = (response: Response): string | null =>
  response.headers.get('x-free-quota-remaining')

async function payments(): Promise<number> {
  let count = 0
  for await (const _ of gateway.store.exportPayments()) count += 1
  return count
}

test('a call within the quota is served without payment, billed to the quota, and logged', async () => {
  const response = await ask('192.0.2.1')
  expect(response.status).toBe(200)
  expect(remaining(response)).toBe('0.004000')
  expect(response.headers.get('x-payment-id')).toBe(null)
  expect(response.headers.get('x-should-retry')).toBe('false')
  expect(response.headers.get('cache-control')).toBe('private, no-store')
  const { choices, usage } = (await response.json()) as { choices: object[]; usage: object }
  expect(choices).toHaveLength(1)
  expect(usage).toMatchObject({ prompt_tokens: expect.any(Number) as number })
  expect(await payments()).toBe(0)
  expect(lines.find(({ event }) => event === 'request')).toMatchObject({
    status: 200,
    model: 'openai/gpt-4.1-mini',
    client: '192.0.2.1',
    freeUsdc: '0.001000',
  })
})

test('a stream is served the same way: its header counts the most that it can cost as used', async () => {
  const response = await ask('192.0.2.2', chatOf('What is free?', { stream: true }))
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(remaining(response)).toBe('0.001475')
  const text = await response.text()
  expect(eventsOf(text).at(-1)).toBe('[DONE]')
  expect(text).not.toContain(': receipt')
  expect(remaining(await ask('192.0.2.2'))).toBe('0.003000')
})

test('calls at the same time are free within the quota, and the others ask for payment', async () => {
  const responses = await Promise.all(Array.from({ length: 8 }, () => ask('2001:db8::1')))
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1)
  for (const response of responses.filter(({ status }) => status !== 200)) {
    expect(response.status).toBe(402)
    expect(response.headers.get('payment-required')).not.toBe(null)
    expect(await response.json()).toMatchObject({ statusCode: 402, error: 'Payment Required' })
  }
  const freeOf = async () => {
    const [use] = await gateway.store.freeUseByDay({ from: 0, to: Number.MAX_SAFE_INTEGER })
    return use?.cost ?? 0n
  }
  const before = await freeOf()
  // Of the same /56: with what was used before, at most 0.005.
  await Promise.all(Array.from({ length: 5 }, () => ask('2001:db8:0:ff::1')))
  const used = (await freeOf()) - before + 1_000n * BigInt(countOf(statuses, 200))
  expect(used).toBeLessThanOrEqual(5_000n)
})

test('a probe, and a request beyond the quota, get the ordinary 402; what is paid is not free', async () => {
  const probe = await fetch(gateway.url + chatPath, { method: 'POST' })
  expect([probe.status, remaining(probe)]).toEqual([402, null])
  const declined = await post(gateway, chatPath, {
    body: chatOf('What does it cost?'),
    headers: { 'X-Forwarded-For': '192.0.2.3', 'X-Free-Quota': 'off' },
  })
  expect(declined.status).toBe(402)
  const large = await ask('192.0.2.3', chatOf('Tell me all.', { max_tokens: 20_000 }))
  expect([large.status, remaining(large)]).toEqual([402, '0.005000'])
  const paid = await buy(gateway, 0, {
    body: chatOf('What is paid?', { max_tokens: 20_000 }),
  })
  expect(paid.status).toBe(200)
  expect(paid.headers.get('x-payment-id')).toMatch(/^pay_/)
})

test('the other interfaces are free within the same quota', async () => {
  const model = 'openai/gpt-4.1-mini'
  const messages = [{ role: 'user', content: 'Hello' }]
  const answers = [
    await ask('192.0.2.4', { model, max_tokens: 100, messages }, '/v1/messages'),
    await ask('192.0.2.4', { model, max_output_tokens: 100, input: 'Hello' }, '/v1/responses'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers.map(remaining)).toEqual(['0.004000', '0.003000'])
})

test('a restart renews no quota, and all addresses together get the total', async () => {
  const before = remaining(await ask('192.0.2.6', chatOf('?', { max_tokens: 20_000 })))
  expect(before).toBe('0.005000')
  expect((await ask('192.0.2.6')).status).toBe(200)
  await gateway.stop()
  gateway = await openGateway({ DATA_DIR: folder, ...quota }, logger)
  expect(remaining(await ask('192.0.2.6', chatOf('?', { max_tokens: 20_000 })))).toBe('0.004000')
  const hosts = Array.from({ length: 30 }, (_, host) => `198.51.100.${host + 1}`)
  const statuses = (await Promise.all(hosts.map((host) => ask(host)))).map(({ status }) => status)
  expect(statuses).toContain(402)
  const sums = await gateway.store.freeUseByDay({ from: 0, to: Number.MAX_SAFE_INTEGER })
  const cost = sums.reduce((sum, use) => sum + use.cost, 0n)
  expect(cost).toBeLessThanOrEqual(25_000n)
  expect(lines.filter(({ event }) => event === 'free_quota_used_up')).toMatchObject([
    { level: 40, totalUsdc: '0.025000' },
  ])
})

test('a quota that no call fits, a total below it, and one that no database holds, are refused at the start', () => {
  const problems = (environment: Readonly<Record<string, string>>) => {
    const read = readConfig(environment)
    return read.status === 'invalid' ? read.problems.join(' ') : ''
  }
  expect(problems({ FREE_QUOTA_USDC: '0.0005' })).toContain('MIN_CHARGE_USDC')
  expect(problems({ FREE_QUOTA_USDC: '2' })).toContain('FREE_QUOTA_TOTAL_USDC')
  expect(problems({ FREE_QUOTA_USDC: '2', FREE_QUOTA_TOTAL_USDC: '10' })).toBe('')
  expect(problems({ FREE_QUOTA_TOTAL_USDC: '99999999999999' })).toBe(
    'FREE_QUOTA_TOTAL_USDC must be at most 1000000000000 USDC.',
  )
})

function countOf(statuses: readonly number[], wanted: number): number {
  return statuses.filter((status) => status === wanted).length
}
