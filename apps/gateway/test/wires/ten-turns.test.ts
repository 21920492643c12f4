import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { openAiLike } from '../../src/providers/openai-like-providers.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { openPayingFetch } from '../support/paying-fetch.ts'
import { type Conversation, chat, messages, responses } from './ten-turns-clients.ts'
import { answerAs, turns, used } from './ten-turns-vendor.ts'
import { openVendorServer, type VendorServer } from './vendor-server.ts'

/** Perplexity has no tools. */
const names = [...openAiLike.map(([name]) => name), 'anthropic', 'gemini'].filter(
  (name) => name !== 'perplexity',
)
const upstreamNames: Readonly<Record<string, string>> = {
  openrouter: 'anthropic/claude-sonnet-5',
  anthropic: 'claude-sonnet-5',
  gemini: 'gemini-3.5-flash',
}

const problems: string[] = []
let vendors: VendorServer
let gateway: TestGateway
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  const overrides = join(folder, 'overrides.json')
  const add = names.map((provider) => ({
    id: `own/${provider}`,
    contextLength: 100_000,
    maxOutputTokens: 4_096,
    inputModalities: ['text', 'image'],
    reasoning: 'optional',
    price: { input: '1', output: '2', cacheRead: '0.5' },
    routes: [{ provider, model: upstreamNames[provider] ?? `${provider}-name` }],
  }))
  await writeFile(overrides, JSON.stringify({ chat: { add } }))
  vendors = await openVendorServer((request) => answerAs(request, problems))
  const providers = names.flatMap((name) => [
    [`${name.toUpperCase()}_API_KEY`, 'k'],
    [`${name.toUpperCase()}_BASE_URL`, `${vendors.url}/${name}`],
  ])
  gateway = await openGateway({
    ...Object.fromEntries(providers),
    CATALOG_OVERRIDES: overrides,
    REFUND_MIN_USDC: '1',
    MIN_CHARGE_USDC: '0.000002',
  })
})
afterAll(async () => {
  await gateway.stop()
  vendors.close()
  await rm(folder, { recursive: true, force: true })
})

/** A unit of USDC a token of input, a half where it was cached, and two of output. */
const cost = BigInt(used.prompt - used.cached + used.cached / 2 + used.output * 2)

/** A fetch that pays from a channel, as the stock packages do. */
function openChannelFetch(index: number) {
  const chain = createPublicClient({ chain: baseSepolia, transport: http(gateway.access.rpcUrl) })
  const scheme = new BatchSettlementEvmScheme(toClientEvmSigner(gateway.account(index), chain))
  const paying = wrapFetchWithPayment(fetch, new x402Client().register('eip155:84532', scheme))
  const payments: string[] = []
  const record: typeof fetch = async (input, init) => {
    const response = await paying(input, init)
    const id = response.headers.get('x-payment-id')
    if (id !== null) payments.push(id)
    return response
  }
  return { fetch: record, payments }
}

const interfaces = { chat, responses, messages }
const combinations = names.flatMap((name) =>
  Object.entries(interfaces).map(([over, held]) => ({ name, over, held })),
)
/** Each interface and each kind of thoughts. */
const some = new Set([
  'openrouter chat',
  'xai chat',
  'deepseek messages',
  'mistral responses',
  'anthropic responses',
  'anthropic messages',
  'gemini messages',
])
const isFirst = ({ name, over }: (typeof combinations)[number]): boolean =>
  some.has(`${name} ${over}`)
const others = combinations.filter((one) => !isFirst(one))
const held = [
  ...combinations.filter(isFirst),
  ...others.slice(0, proofSize({ quick: 0, all: others.length })),
]

async function hold(conversation: Conversation, name: string, fetch: typeof globalThis.fetch) {
  await conversation({ url: gateway.url, fetch, model: `own/${name}` })
  expect([...new Set(problems.splice(0))]).toEqual([])
}

test.each(held.map((one, index) => ({ ...one, index })))(
  '$name over $over: ten turns with tools, thoughts and a picture, each billed as used',
  async ({ name, held: conversation, index }) => {
    const { fetch, payments } = openPayingFetch(gateway, index % 5)
    await hold(conversation, name, fetch)
    expect(new Set(payments).size).toBe(turns)
    for (const id of payments) {
      const record = await gateway.record(id)
      expect(record).toMatchObject({ status: 'completed', cost: { usdc: String(cost) } })
      expect(BigInt(record.paid.usdc)).toBe(cost + BigInt(record.refund?.usdc ?? '0'))
    }
  },
)

test('ten turns by channel are each billed as used', async () => {
  const { fetch, payments } = openChannelFetch(5)
  await hold(messages, 'anthropic', fetch)
  expect(new Set(payments).size).toBe(turns)
  for (const id of payments) {
    expect(await gateway.record(id)).toMatchObject({
      status: 'completed',
      cost: { usdc: String(cost) },
    })
  }
})
