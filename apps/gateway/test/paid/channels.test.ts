import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { channelSchema } from '@farebox/api'
import { batchSettlementAbi, type Devnet, startDevnet, writeDevnetFile } from '@farebox/devnet'
import { openLedger } from '@farebox/ledger/sql'
import { audit, paymentNetwork } from '@farebox/payments'
import { createChainReader, createChannelChain } from '@farebox/payments/chain'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, computeChannelId } from '@x402/evm/batch-settlement/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import OpenAI from 'openai'
import { createPublicClient, getAbiItem, http, toFunctionSelector } from 'viem'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { proofSize } from '../../../../scripts/testing/proof-size.ts'
import { runGateway } from '../contract/run-gateway.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'

let devnet: Devnet
let folder: string
let gateway: TestGateway
let stoppedAt: number | undefined

async function open(): Promise<TestGateway> {
  return await openGateway({ DATA_DIR: folder, RPC_URL: devnet.rpcUrl })
}

beforeAll(async () => {
  const now = Date.now
  // Before the gateway takes its clock.
  vi.spyOn(Date, 'now').mockImplementation(() => stoppedAt ?? now())
  devnet = await startDevnet({ payers: 3 })
  folder = await mkdtemp(join(tmpdir(), 'farebox-'))
  await writeDevnetFile(join(folder, 'devnet.json'), devnet)
  gateway = await open()
})
afterAll(async () => {
  await gateway.stop()
  await devnet.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  vi.restoreAllMocks()
})

const model = 'openai/gpt-4.1-nano'

/** The official client over the stock packages, which know nothing of this service. */
function stockClient(payer: number) {
  const chain = createPublicClient({ chain: baseSepolia, transport: http(devnet.rpcUrl) })
  const scheme = new BatchSettlementEvmScheme(toClientEvmSigner(gateway.account(payer), chain))
  let corrections = 0
  const counting: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const isPaid = request.headers.has('payment-signature')
    const response = await fetch(request)
    if (response.status === 402 && isPaid) corrections += 1
    return response
  }
  const paying = wrapFetchWithPayment(counting, new x402Client().register('eip155:84532', scheme))
  const client = new OpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: 'none',
    fetch: paying,
    maxRetries: 0,
  })
  return { client, scheme, corrections: () => corrections }
}

async function ask(client: OpenAI, index: number): Promise<string> {
  const messages = [{ role: 'user' as const, content: `Say ${index}` }]
  const body = { model, messages, max_completion_tokens: 5 }
  if (index % 2 === 0) {
    const completion = await client.chat.completions.create(body)
    return completion.choices[0]?.message.content ?? ''
  }
  let text = ''
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? ''
  }
  return text
}

/** A busy machine may take longer for a corrected call than its turn lasts, so the clock stands still. */
async function askInParallel(client: OpenAI): Promise<readonly string[]> {
  stoppedAt = Date.now()
  const asked = Array.from({ length: parallel }, (_, index) => ask(client, index))
  return await Promise.all(asked).finally(() => {
    stoppedAt = undefined
  })
}

async function channelOf(scheme: BatchSettlementEvmScheme) {
  const asked = await fetch(`${gateway.url}/v1/channel`)
  expect(asked.status).toBe(402)
  const terms = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '')
  expect(terms.accepts).toHaveLength(1)
  const id = computeChannelId(scheme.buildChannelConfig(terms.accepts[0]!), 'eip155:84532')
  const answer = await fetch(`${gateway.url}/v1/channels/${id}`)
  expect(answer.status).toBe(200)
  return channelSchema.parse(await answer.json())
}

async function headOfChain(): Promise<number> {
  return Number(await devnet.rpc('eth_blockNumber', []))
}

const settleSelector = toFunctionSelector(getAbiItem({ abi: batchSettlementAbi, name: 'settle' }))

/** The transactions since a block, without the daily one that pays all claims to the treasury. */
async function transactionsAfter(block: number): Promise<number> {
  const inputs: string[] = []
  for (let number = block + 1; number <= (await headOfChain()); number += 1) {
    const { transactions } = await devnet.rpc<{ transactions: readonly { input: string }[] }>(
      'eth_getBlockByNumber',
      [`0x${number.toString(16)}`, true],
    )
    inputs.push(...transactions.map(({ input }) => input))
  }
  return inputs.filter((input) => !input.startsWith(settleSelector)).length
}

/** Enough for a refund to be made on request at once. */
async function spendMore(client: OpenAI): Promise<void> {
  for (let call = 0; call < 7; call += 1) {
    const content = `[[sandbox: label=more${call} tokens=500 tokens_per_second=100000]]`
    const messages = [{ role: 'user' as const, content }]
    await client.chat.completions.create({ model: dearModel, messages, max_completion_tokens: 500 })
  }
}

const dearModel = 'openai/gpt-4.1'
const calls = proofSize({ quick: 9, all: 100 })
const parallel = proofSize({ quick: 10, all: 20 })

test(`${calls} calls of the openai client over the stock channel scheme, ${parallel} in parallel, a restart and a refund take two transactions`, async () => {
  const restartAt = Math.ceil((calls * 2) / 3)
  const head = await headOfChain()
  const { client, scheme, corrections } = stockClient(0)
  for (let index = 0; index < restartAt; index += 1) expect(await ask(client, index)).not.toBe('')
  expect(corrections()).toBe(0)
  const before = await channelOf(scheme)
  expect(await askInParallel(client)).not.toContain('')
  await gateway.stop()
  gateway = await open()
  const again = stockClient(0)
  for (let index = restartAt; index < calls; index += 1) {
    expect(await ask(again.client, index)).not.toBe('')
  }
  expect(again.corrections()).toBeLessThanOrEqual(1)
  await spendMore(again.client)
  const after = await channelOf(again.scheme)
  expect(BigInt(after.charged.usdc)).toBeGreaterThan(BigInt(before.charged.usdc))
  expect(after).toMatchObject({ status: 'open', reserved: { usdc: '0' } })
  expect(after.deposited).toEqual(before.deposited)
  expect(await transactionsAfter(head), 'the deposit').toBe(1)

  const refund = await again.scheme.refund(`${gateway.url}/v1/channel`)
  expect(refund).toMatchObject({ success: true, amount: after.rest.usdc })
  expect(refund.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await transactionsAfter(head)).toBe(2)
  const closed = { status: 'closed', returned: after.rest, charged: after.charged }
  expect(await channelOf(again.scheme)).toMatchObject(closed)
  const spent = 1_000_000_000n - (await devnet.usdcBalance(devnet.payers[0]!.address))
  expect(spent).toBe(BigInt(after.charged.usdc))
  await expectBooksEven()
  await expectExported(after.id, spent)
})

/** The chain and the ledger agree. */
async function expectBooksEven(): Promise<void> {
  const store = await openLedger({ url: `sqlite:${join(folder, 'ledger.sqlite')}` })
  const { rpcUrl, usdc: asset, treasury } = devnet
  const report = await audit({
    store,
    chain: createChainReader({ rpcUrl }),
    channels: {
      store,
      channelChain: createChannelChain({ rpcUrl, network: paymentNetwork('devnet') }),
    },
    asset,
    treasury: treasury.address,
    fromBlock: 0,
  })
  await store.close()
  expect(report.channels).toBeGreaterThan(0)
  expect(report.unexplained).toEqual([])
}

/** All that was charged is claimed, and the movements say in which transaction. */
async function expectExported(id: string, charged: bigint): Promise<void> {
  const environment = { DATA_DIR: folder, RPC_URL: devnet.rpcUrl }
  const { code, stdout } = await runGateway(['ledger', 'export', 'channels'], environment).ended
  expect(code).toBe(0)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Exported)
  const channel = lines.find((line) => line.channel?.['id'] === id)?.channel
  expect(channel).toMatchObject({ status: 'closed', charged: `${charged}`, claimed: `${charged}` })
  expect(lines.filter(({ movement }) => movement?.['channelId'] === id)).toMatchObject([
    { movement: { kind: 'claim', amount: `${charged}` } },
    { movement: { kind: 'refund' } },
  ])
}

type Line = Readonly<Record<string, unknown>>
type Exported = { readonly channel?: Line; readonly movement?: Line }

test(`${parallel} parallel calls of a new client are all served, after one deposit`, async () => {
  const { client, scheme } = stockClient(1)
  const head = await headOfChain()
  expect(await askInParallel(client)).not.toContain('')
  expect(await transactionsAfter(head)).toBe(1)
  expect(await channelOf(scheme)).toMatchObject({ status: 'open', reserved: { usdc: '0' } })
})

test('the 402 states both amounts, and a small call costs less from a channel', async () => {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 })
  const headers = { 'content-type': 'application/json' }
  const asked = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })
  const header = asked.headers.get('payment-required') ?? ''
  const { accepts } = decodePaymentRequiredHeader(header)
  expect(accepts.map(({ scheme, amount }) => [scheme, amount])).toEqual([
    ['exact', '1000'],
    ['batch-settlement', '100'],
  ])
  const { quote } = (await asked.json()) as { readonly quote: Readonly<Record<string, unknown>> }
  expect(quote).toMatchObject({ minimum: { usdc: '1000' }, channelMinimum: { usdc: '100' } })
})

test.each(['chat/completions', 'responses', 'messages', 'images/generate', 'images/generations'])(
  'the 402 of %s fits into a header with both ways to pay',
  async (path) => {
    const asked = await fetch(`${gateway.url}/v1/${path}`, { method: 'POST' })
    const header = asked.headers.get('payment-required') ?? ''
    expect(decodePaymentRequiredHeader(header).accepts).toHaveLength(2)
    expect(header.length).toBeLessThan(3_300)
  },
)

test('a refund of a young channel that was charged little is asked for later', async () => {
  const { client, scheme } = stockClient(2)
  await ask(client, 1)
  await expect(scheme.refund(`${gateway.url}/v1/channel`)).rejects.toThrow('refund_too_early')
  expect(await channelOf(scheme)).toMatchObject({ status: 'open' })
})

test('a gateway without channels offers none', async () => {
  const plain = await openGateway({
    CHANNELS: 'off',
    RPC_URL: devnet.rpcUrl,
    TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
    RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
  })
  expect((await fetch(`${plain.url}/v1/channel`)).status).toBe(404)
  expect((await fetch(`${plain.url}/v1/channels/0x00`)).status).toBe(404)
  const asked = await fetch(`${plain.url}/v1/chat/completions`, { method: 'POST' })
  const { accepts } = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '')
  expect(accepts).toHaveLength(1)
  await plain.stop()
})
