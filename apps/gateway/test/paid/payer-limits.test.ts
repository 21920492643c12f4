import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorSchema, healthSchema } from '@farebox/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { buy, chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

let folder: string
let file: string
let gateway: TestGateway

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-limits-'))
  file = join(folder, 'limits.json')
  await writeFile(file, '{}')
  gateway = await openGateway({ PAYER_LIMITS: file })
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

async function limit(limits: object): Promise<void> {
  await writeFile(file, JSON.stringify(limits))
  gateway.reload()
}

async function payments(): Promise<number> {
  let count = 0
  for await (const _ of gateway.store.exportPayments()) count += 1
  return count
}

async function expectLimited(response: Response): Promise<number> {
  expect(response.status).toBe(429)
  const { error } = errorSchema.parse(await response.json())
  expect(error).toMatchObject({ code: 'payer_limit_reached', type: 'invalid_request_error' })
  expect(error.message).toContain('No money moved')
  return Number(response.headers.get('retry-after'))
}

test('a payer who sends requests together buys up to the limit of a minute, and the others move no money', async () => {
  await limit({ requestsPerMinute: 2 })
  const before = await payments()
  const funds = await gateway.balance(gateway.payer(0).address)
  const texts = ['One?', 'Two?', 'Three?', 'Four?', 'Five?']
  const responses = await Promise.all(texts.map((text) => buy(gateway, 0, { body: chatOf(text) })))
  const served = responses.filter(({ status }) => status === 200)
  expect(served).toHaveLength(2)
  for (const response of responses.filter((one) => !served.includes(one))) {
    const wait = await expectLimited(response)
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
  }
  expect((await payments()) - before).toBe(2)
  let spent = 0n
  for (const response of served) {
    await response.text()
    const { cost } = await gateway.refunded(response.headers.get('x-payment-id') ?? '')
    spent += BigInt(cost?.usdc ?? -1)
  }
  expect(await gateway.balance(gateway.payer(0).address)).toBe(funds - spent)
})

test('a payer at its limit gets a stored answer again; its own limit replaces the general one', async () => {
  await limit({})
  const body = chatOf('What is a limit?')
  const { v2 } = await signPayment(gateway, 1, { body })
  const first = await (await post(gateway, chatPath, { body, headers: v2 })).text()
  await limit({ requestsPerMinute: 1 })
  const again = await post(gateway, chatPath, { body, headers: v2 })
  expect([again.status, await again.text()]).toEqual([200, first])
  await expectLimited(await buy(gateway, 1, { body }))
  const own = { [gateway.payer(1).address]: { requestsPerMinute: null } }
  await limit({ requestsPerMinute: 1, payers: own })
  expect((await buy(gateway, 1, { body })).status).toBe(200)
})

test('the limit of a day covers the maximum of a payment, and counts its cost once that is fixed', async () => {
  await limit({})
  const body = chatOf('What is a day?')
  const { quoted } = await signPayment(gateway, 2, { body })
  await limit({ usdcPerDay: `0.${(quoted + 1_999n).toString().padStart(6, '0')}` })
  for (const response of [await buy(gateway, 2, { body }), await buy(gateway, 2, { body })]) {
    expect(response.status).toBe(200)
    await response.text()
    const { cost } = await gateway.record(response.headers.get('x-payment-id') ?? '')
    expect(cost?.usdc).toBe('1000')
  }
  const wait = await expectLimited(await buy(gateway, 2, { body }))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(86_400)
})

test('a file with mistakes keeps the limits, and each is named', async () => {
  await limit({ requestsPerMinute: 1 })
  await limit({ requestsPerMinute: 0, usdcPerDay: 'much', payers: { bob: {} } })
  const health = healthSchema.parse(await (await fetch(`${gateway.url}/v1/health`)).json())
  expect(health.issues).toEqual(['operator_files_refused'])
  expect((await buy(gateway, 3, { body: chatOf('Who?') })).status).toBe(200)
  await expectLimited(await buy(gateway, 3, { body: chatOf('Who else?') }))
  const read = readConfig({ PAYER_LIMITS: file })
  if (read.status === 'valid') throw new Error('the mistakes were not found')
  for (const field of ['requestsPerMinute', 'usdcPerDay', 'payers.bob']) {
    expect(read.problems.join(' ')).toContain(`PAYER_LIMITS: ${file}: ${field}: `)
  }
})
