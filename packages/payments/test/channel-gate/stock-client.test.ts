import {
  batchSettlementAbi,
  batchSettlementAddress,
  type Devnet,
  startDevnet,
} from '@farebox/devnet'
import { type ChannelRecord, createMemoryStore, type LedgerStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { createPublicClient, createWalletClient, http, toHex } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { channelDigests } from '../../src/channel/channel-digests.ts'
import {
  type ChannelShop,
  channelsOf,
  type Order,
  openChannelShop,
  orderInit,
  receiptOf,
  type StockClient,
  stockClient,
} from '../support/channel-shop.ts'

let devnet: Devnet
const shops: ChannelShop[] = []

beforeAll(async () => {
  devnet = await startDevnet()
})
afterAll(() => devnet.stop())
afterEach(async () => {
  for (const shop of shops.splice(0)) await shop.close()
})

async function open(options: Parameters<typeof openChannelShop>[1] = {}): Promise<ChannelShop> {
  const shop = await openChannelShop(devnet, options)
  shops.push(shop)
  return shop
}

async function buy(client: StockClient, shop: ChannelShop, order: Order): Promise<Response> {
  return await client.fetch(shop.url, orderInit(order))
}

test.each([
  { name: 'that reads the chain', bare: false, payer: 0 },
  { name: 'without a node', bare: true, payer: 1 },
])('a stock client $name needs no correction in sequence', async ({ bare, payer }) => {
  const shop = await open()
  const client = stockClient(devnet, payer, { bare })
  let cost = 0
  for (let index = 0; index < 12; index += 1) {
    const kind = index % 2 === 0 ? 'stream' : 'json'
    const order = { ceiling: 1_000 + 300 * index, cost: 100 + 37 * index, kind } as const
    expect((await buy(client, shop, order)).status).toBe(200)
    cost += order.cost
  }
  expect(client.sent).toHaveLength(12)
  const [channel] = await channelsOf(shop.store)
  expect(channel).toMatchObject({ charged: BigInt(cost), reserved: 0n, status: 'open' })
})

test.each([
  { name: 'on a channel with a deposit', warm: true, payer: 2 },
  { name: 'that all begin with a deposit', warm: false, payer: 3 },
])('20 parallel calls of a stock client $name are all served', async ({ warm, payer }) => {
  const shop = await open()
  const client = stockClient(devnet, payer)
  if (warm) await buy(client, shop, { ceiling: 1_000, cost: 500 })
  const orders = Array.from({ length: 20 }, (_, index): Order => {
    return { ceiling: 1_000, cost: 400, kind: index % 2 ? 'json' : 'stream', text: `${index}` }
  })
  const paid = await Promise.all(orders.map((order) => buy(client, shop, order)))
  expect(paid.map(({ status }) => status)).toEqual(orders.map(() => 200))
  const [channel, ...others] = await channelsOf(shop.store)
  expect(others).toEqual([])
  expect(channel).toMatchObject({ charged: 8_000n + (warm ? 500n : 0n), deposited: 100_000n })
})

test('parallel calls over two replicas are all served', async () => {
  const store = createMemoryStore()
  const [one, two] = [await open({ store }), await open({ store })]
  const client = stockClient(devnet, 8)
  await buy(client, one, { ceiling: 1_000, cost: 500 })
  const orders = Array.from({ length: 10 }, (_, index): Order => {
    return { ceiling: 1_000, cost: 400, text: `${index}` }
  })
  const paid = await Promise.all(
    orders.map((order, index) => buy(client, index % 2 === 0 ? one : two, order)),
  )
  expect(paid.map(({ status }) => status)).toEqual(orders.map(() => 200))
  expect(await channelsOf(store)).toMatchObject([{ charged: 4_500n, deposited: 100_000n }])
})

/** A ledger whose calls so far ended ten minutes before they did. */
function aged(store: LedgerStore): LedgerStore {
  const now = Date.now()
  return {
    ...store,
    async holdCall(...call) {
      const outcome = await store.holdCall(...call)
      if (outcome.status !== 'taken' || outcome.payment.updatedAt > now) return outcome
      const { payment } = outcome
      return { ...outcome, payment: { ...payment, updatedAt: payment.updatedAt - 600_000 } }
    },
  }
}

test.each([
  { name: 'one replica', replicas: 1, payer: 10 },
  { name: 'three replicas', replicas: 3, payer: 12 },
])(
  '20 parallel calls of a client that forgot its channel are all served by $name, long after its last call',
  async ({ replicas, payer }) => {
    const memory = createMemoryStore()
    const before = await open({ store: memory })
    const order = { ceiling: 1_000, cost: 400 } as const
    expect((await buy(stockClient(devnet, payer), before, order)).status).toBe(200)
    const store = aged(memory)
    const shops = await Promise.all(Array.from({ length: replicas }, () => open({ store })))
    const restarted = stockClient(devnet, payer)
    const paid = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const kind = index % 2 ? 'json' : 'stream'
        return buy(restarted, shops[index % replicas]!, {
          ...order,
          kind,
          text: `${index}`,
        })
      }),
    )
    expect(paid.map(({ status }) => status)).toEqual(paid.map(() => 200))
    const [channel] = await channelsOf(memory)
    expect(channel).toMatchObject({ deposited: 100_000n, charged: 8_400n, reserved: 0n })
  },
)

test('a failed first call carries a receipt of its deposit and costs nothing', async () => {
  const shop = await open()
  const client = stockClient(devnet, 4, { bare: true })
  const failed = await buy(client, shop, { ceiling: 1_000, cost: 500, kind: 'failure' })
  expect(failed.status).toBe(500)
  expect(receiptOf(failed)).toMatchObject({ amount: '100000', charged: '0', total: '0' })
  const paid = await buy(client, shop, { ceiling: 1_000, cost: 500 })
  expect(paid.status).toBe(200)
  expect(receiptOf(paid)).toMatchObject({ amount: '', transaction: '', charged: '500' })
  expect(client.sent).toHaveLength(2)
  expect(await channelsOf(shop.store)).toMatchObject([{ deposited: 100_000n, charged: 500n }])
})

test('a refused first call carries a receipt of its deposit, and the next one makes none', async () => {
  const memory = createMemoryStore()
  const store: LedgerStore = {
    ...memory,
    // The payer announces a withdrawal while its deposit is on the way.
    async claimDeposit(...claim) {
      const claimed = await memory.claimDeposit(...claim)
      const withdrawAt = Math.floor(Date.now() / 1_000) + 86_400
      const announced = { type: 'withdraw_announced', withdrawAt, at: Date.now() } as const
      await memory.applyToChannel(claim[1], announced)
      return claimed
    },
  }
  const shop = await open({ store })
  const client = stockClient(devnet, 11, { bare: true })
  const refused = await buy(client, shop, { ceiling: 1_000, cost: 500 })
  expect(refused.status).toBe(402)
  expect(receiptOf(refused)).toMatchObject({ amount: '100000', charged: '0', total: '0' })
  expect(await refused.text()).toContain('The deposit of this request is in its channel.')
  const [channel] = await channelsOf(memory)
  await memory.applyToChannel(channel!, { type: 'withdraw_cleared', at: Date.now() })
  expect((await buy(client, shop, { ceiling: 1_000, cost: 500 })).status).toBe(200)
  expect(client.sent).toHaveLength(2)
  expect(await channelsOf(memory)).toMatchObject([{ deposited: 100_000n, charged: 500n }])
})

test('a client that forgot its channel continues after one correction', async () => {
  const shop = await open()
  const order = { ceiling: 1_000, cost: 500 }
  await buy(stockClient(devnet, 5), shop, order)
  await buy(stockClient(devnet, 5), shop, order)
  const restarted = stockClient(devnet, 5)
  expect((await buy(restarted, shop, { ...order, text: 'another' })).status).toBe(200)
  expect(restarted.sent).toHaveLength(2)
  expect((await buy(restarted, shop, order)).status).toBe(200)
  expect(restarted.sent).toHaveLength(3)
  expect(await channelsOf(shop.store)).toMatchObject([{ deposited: 100_000n, charged: 1_500n }])
})

test('a client that forgot its channel continues after one correction, although its last call failed', async () => {
  const shop = await open()
  const order = { ceiling: 1_000, cost: 900 } as const
  const client = stockClient(devnet, 13)
  for (const text of ['one', 'two']) await buy(client, shop, { ...order, text })
  // The highest voucher: its call failed, so it could pay for another one.
  expect((await buy(client, shop, { ...order, kind: 'failure' })).status).toBe(500)
  const restarted = stockClient(devnet, 13)
  expect((await buy(restarted, shop, { ...order, text: 'three' })).status).toBe(200)
  expect(restarted.sent).toHaveLength(2)
  expect(await channelsOf(shop.store)).toMatchObject([{ deposited: 100_000n, charged: 2_700n }])
})

test('a restart of the shop loses no channel', async () => {
  const store = createMemoryStore()
  const storage = new InMemoryClientChannelStorage()
  const order = { ceiling: 1_000, cost: 500, kind: 'stream' } as const
  for (let run = 0; run < 3; run += 1) {
    const shop = await open({ store })
    const client = stockClient(devnet, 6, { bare: true, storage })
    expect((await buy(client, shop, order)).status).toBe(200)
    expect(client.sent).toHaveLength(1)
  }
  // The other shops on this chain share its treasury, so their channels are known from the chain too.
  const [channel] = await channelsOf(store)
  expect(channel).toMatchObject({ deposited: 100_000n, charged: 1_500n })
})

test('a client whose channel was closed opens it again', async () => {
  const shop = await open()
  const client = stockClient(devnet, 9)
  const order = { ceiling: 1_000, cost: 400 }
  await buy(client, shop, order)
  const [channel] = await channelsOf(shop.store)
  if (channel === undefined) throw new Error('the channel is unknown')
  await close(shop, channel)
  expect((await buy(client, shop, { ...order, text: 'after' })).status).toBe(200)
  // One call, its correction, and the deposit that the client then makes.
  expect(client.sent).toHaveLength(3)
  expect(await channelsOf(shop.store)).toMatchObject([
    { status: 'open', returned: 99_600n, charged: 800n, reserved: 0n },
  ])
})

/** Returns what is not charged, on the chain and in the ledger. */
async function close({ store }: ChannelShop, channel: ChannelRecord): Promise<void> {
  const amount = atomicUsdc(channel.deposited - channel.charged)
  await store.applyToChannel(channel, { type: 'closing', at: Date.now() })
  const { treasury, relayer } = devnet
  const digest = channelDigests(channel.chainId).refund(channel.id, 0n, amount)
  const signature = await sign({ hash: toHex(digest), privateKey: treasury.privateKey, to: 'hex' })
  const account = privateKeyToAccount(relayer.privateKey)
  const chain = { chain: baseSepolia, transport: http(devnet.rpcUrl) }
  const hash = await createWalletClient({ account, ...chain }).writeContract({
    address: batchSettlementAddress,
    abi: batchSettlementAbi,
    functionName: 'refundWithSignature',
    args: [channel.config, amount, 0n, signature],
  })
  const receipt = await createPublicClient(chain).waitForTransactionReceipt({ hash })
  const { transactionHash: transaction, blockHash } = receipt
  const proof = { transaction, blockHash, block: Number(receipt.blockNumber), logIndex: 0 }
  await store.applyToChannel(channel, {
    type: 'returned',
    by: 'refund',
    amount,
    proof,
    at: Date.now(),
  })
}

test('a deposit is topped up when it does not cover the next call', async () => {
  const shop = await open()
  const client = stockClient(devnet, 7, { bare: true })
  await buy(client, shop, { ceiling: 40_000, cost: 40_000 })
  const topped = await buy(client, shop, { ceiling: 900_000, cost: 1_000 })
  expect(topped.status).toBe(200)
  expect(receiptOf(topped).amount).not.toBe('')
  expect((await buy(client, shop, { ceiling: 500_000, cost: 1_000 })).status).toBe(200)
  expect(client.sent).toHaveLength(3)
})
