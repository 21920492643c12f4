import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatModelListSchema, healthSchema, paymentRequiredSchema } from '@farebox/api'
import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import { closeServer, listen } from '@farebox/http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openGateway, type PublicRecord, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

/** 0.40 and 1.60 USD per million as shipped. */
const rising = 'openai/gpt-4.1-mini'
const overridden = 'openai/gpt-4.1-nano'
const offPeak = 'openai/gpt-4o-mini'
const atPeak = 'openai/gpt-4o'

let gateway: TestGateway
/** Plays OpenRouter. */
let router: Sandbox
let lists: Server
let release: () => void
let folder: string

const rates = { input: '1', output: '2' }
const allDays = [0, 1, 2, 3, 4, 5, 6]
const always = { days: allDays, fromMinute: 0, toMinute: 1440 }

/** Five hours that neither hold this moment nor begin soon. */
function elsewhen() {
  const date = new Date()
  const minute = date.getUTCHours() * 60 + date.getUTCMinutes()
  const fromMinute = minute < 720 ? minute + 300 : minute - 600
  return { days: allDays, fromMinute, toMinute: fromMinute + 300 }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-prices-'))
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  lists = createServer((_request, response) => {
    void released.then(() => {
      const pricing = { prompt: '0.0000008', completion: '0.0000032' }
      const data = [rising, overridden].map((id) => ({ id, context_length: 1_000_000, pricing }))
      response.end(JSON.stringify({ data }))
    })
  })
  const listsUrl = await listen(lists, { host: '127.0.0.1', port: 0 })
  const peak = { rates: { input: '10', output: '20' }, tiers: [] }
  const change = {
    [overridden]: { price: rates },
    [offPeak]: { price: { ...rates, peak: { ...peak, windows: [elsewhen()] } } },
    [atPeak]: { price: { ...rates, peak: { ...peak, windows: [always] } } },
  }
  await writeFile(join(folder, 'overrides.json'), JSON.stringify({ chat: { change } }))
  router = await startSandbox()
  gateway = await openGateway({
    OPENROUTER_API_KEY: 'of-no-use',
    OPENROUTER_BASE_URL: router.chatBaseUrl,
    CATALOG_OVERRIDES: join(folder, 'overrides.json'),
    CATALOG_REFRESH: 'on',
    CATALOG_REFRESH_OPENROUTER_URL: `${listsUrl}/openrouter`,
    CATALOG_REFRESH_MODELS_DEV_URL: `${listsUrl}/models.dev`,
    MIN_CHARGE_USDC: '0.000001',
  })
})
afterAll(async () => {
  await gateway.stop()
  await router.stop()
  await closeServer(lists)
  await rm(folder, { recursive: true })
})

function chat(model: string, text: string) {
  return { model, messages: [{ role: 'user', content: text }], max_tokens: 1000 }
}

async function listedInput(model: string): Promise<number | undefined> {
  const list = chatModelListSchema.parse(await (await fetch(`${gateway.url}/v1/models`)).json())
  return list.models.find(({ id }) => id === model)?.pricing.input_per_1k_tokens
}

async function quoted(body: object): Promise<bigint> {
  const answer = await post(gateway, chatPath, { body })
  const { accepts } = paymentRequiredSchema.parse(await answer.json())
  return BigInt(String(accepts[0]?.['maxAmountRequired']))
}

/** Atomic USDC for the tokens of a record at rates in USD per million, rounded up once. */
function priced({ usage }: PublicRecord, input: bigint, output: bigint): string {
  const [inputTokens, outputTokens] = [usage?.['inputTokens'], usage?.['outputTokens']]
  const tenths = BigInt(Number(inputTokens)) * input + BigInt(Number(outputTokens)) * output
  return ((tenths + 9n) / 10n).toString()
}

/** The highest rates that the router was allowed for the last call. */
function allowed(): unknown {
  return router.requests.at(-1)?.body
}

async function recordOf(response: Response): Promise<PublicRecord> {
  expect(response.status).toBe(200)
  await response.text()
  return gateway.record(response.headers.get('x-payment-id') ?? '')
}

test('a pending 402 is served at its price after a refresh; new requests pay the new one', async () => {
  const body = chat(rising, 'Say something about fares.')
  const before = await signPayment(gateway, 0, { body })
  expect(await listedInput(rising)).toBe(0.0004)

  release()
  await expect.poll(() => listedInput(rising)).toBe(0.0008)
  const risen = await quoted(body)
  expect(risen).toBeGreaterThan(before.quoted)

  const old = await recordOf(await post(gateway, chatPath, { body, headers: before.v2 }))
  expect(old.paid.usdc).toBe(before.quoted.toString())
  expect(old.cost?.usdc).toBe(priced(old, 4n, 16n))
  expect(allowed()).toMatchObject({ provider: { max_price: { prompt: 0.4, completion: 1.6 } } })

  const after = await signPayment(gateway, 1, { body })
  expect(after.quoted).toBe(risen)
  const fresh = await recordOf(await post(gateway, chatPath, { body, headers: after.v2 }))
  expect(fresh.paid.usdc).toBe(risen.toString())
  expect(fresh.cost?.usdc).toBe(priced(fresh, 8n, 32n))
  expect(allowed()).toMatchObject({ provider: { max_price: { prompt: 0.8, completion: 3.2 } } })
  expect(await listedInput(overridden)).toBe(0.001)
})

test.each([
  ['off its peak hours at the listed rates', offPeak, 10n, 20n],
  ['in its peak hours at those of the peak', atPeak, 100n, 200n],
])('a model is quoted at its peak and charged %s', async (_, model, input, output) => {
  const body = chat(model, 'When do fares rise?')
  const signed = await signPayment(gateway, 2, { body })
  expect(await listedInput(model)).toBe(0.001)
  const record = await recordOf(await post(gateway, chatPath, { body, headers: signed.v2 }))
  expect(signed.quoted).toBeGreaterThanOrEqual(1000n * 20n)
  expect(record.cost?.usdc).toBe(priced(record, input, output))
  expect(allowed()).toMatchObject({ provider: { max_price: { prompt: 10, completion: 20 } } })
})

test('a stream without usage, off its peak hours, is counted at the listed rates', async () => {
  const body = { ...chat(offPeak, '[[sandbox: no_usage]] Fares?'), stream: true }
  const signed = await signPayment(gateway, 3, { body })
  const record = await recordOf(await post(gateway, chatPath, { body, headers: signed.v2 }))
  expect(record.usage).toMatchObject({ source: 'counted' })
  expect(record.cost?.usdc).toBe(priced(record, 10n, 20n))
})

/** Writes the operator's file and has the gateway read it. */
async function rewrite(chat: object): Promise<void> {
  await writeFile(join(folder, 'overrides.json'), JSON.stringify({ chat }))
  gateway.reload()
}

async function issues(): Promise<unknown> {
  const { issues: found } = healthSchema.parse(
    await (await fetch(`${gateway.url}/v1/health`)).json(),
  )
  return found
}

test('after a change of the file, a pending 402 is served and billed at its price', async () => {
  const body = chat(overridden, 'Say something about files.')
  await rewrite({ change: { [overridden]: { price: rates, markupBps: 10_000 } } })
  const before = await signPayment(gateway, 4, { body })
  await rewrite({ change: { [overridden]: { price: rates, markupBps: 30_000 } } })
  expect(await listedInput(overridden)).toBe(0.004)
  const risen = await quoted(body)
  expect(risen).toBeGreaterThan(before.quoted)

  const old = await recordOf(await post(gateway, chatPath, { body, headers: before.v2 }))
  expect(old.paid.usdc).toBe(before.quoted.toString())
  expect(old.cost?.usdc).toBe(priced(old, 20n, 40n))
  const after = await signPayment(gateway, 5, { body })
  const fresh = await recordOf(await post(gateway, chatPath, { body, headers: after.v2 }))
  expect(fresh.paid.usdc).toBe(risen.toString())
  expect(fresh.cost?.usdc).toBe(priced(fresh, 40n, 80n))
})

test('a file with a mistake is named in the health, and what was sold is still sold', async () => {
  await rewrite({ change: { [overridden]: { price: rates } } })
  expect(await issues()).toBeUndefined()
  await rewrite({ change: { [overridden]: { price: rates, markup: 1 } } })
  expect(await issues()).toEqual(['operator_files_refused'])
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  expect(await listedInput(overridden)).toBe(0.001)
  await rewrite({ hide: [overridden] })
  expect(await issues()).toBeUndefined()
  expect(await listedInput(overridden)).toBeUndefined()
})
