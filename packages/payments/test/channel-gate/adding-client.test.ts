import { type Devnet, startDevnet } from '@farebox/devnet'
import {
  type ClientChannelStorage,
  InMemoryClientChannelStorage,
} from '@x402/evm/batch-settlement/client'
import { decodePaymentResponseHeader } from '@x402/fetch'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  type ChannelShop,
  channelsOf,
  type Order,
  openChannelShop,
  orderInit,
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

async function open(): Promise<ChannelShop> {
  const shop = await openChannelShop(devnet)
  shops.push(shop)
  return shop
}

type AddingClient = StockClient & {
  /** Receipts that contradicted the client's own sum, so that it did not use them. */
  readonly unused: string[]
}

/**
 * A client that adds up what it is charged, as x402's Go and Python clients do: it never copies the
 * channel's state from a receipt, and uses a receipt only if its sum is the client's own.
 */
function addingClient(payer: number): AddingClient {
  const storage = new InMemoryClientChannelStorage()
  const unused: string[] = []
  const send = async (request: Request): Promise<Response> => {
    const signature = request.headers.get('payment-signature')
    const response = await fetch(request)
    const receipt = response.headers.get('payment-response')
    if (signature === null || receipt === null) return response
    if (!(await addUp(storage, signature, receipt))) unused.push(receipt)
    const headers = new Headers(response.headers)
    headers.set('payment-response', withoutState(receipt))
    return new Response(response.body, { status: response.status, headers })
  }
  return { ...stockClient(devnet, payer, { storage, send }), unused }
}

type Charge = {
  readonly chargedAmount: string
  readonly channelState: { readonly channelId: string; readonly chargedCumulativeAmount: string }
}
type Payment = {
  readonly accepted: { readonly amount: string }
  readonly payload: { readonly deposit?: { readonly amount: string } }
}

async function addUp(storage: ClientChannelStorage, signature: string, header: string) {
  const { accepted, payload }: Payment = JSON.parse(atob(signature))
  const { chargedAmount, channelState } = decodePaymentResponseHeader(header).extra as Charge
  const { channelId, chargedCumulativeAmount } = channelState
  const charged = BigInt(chargedAmount)
  if (charged > BigInt(accepted.amount)) throw new Error('charged more than the price')
  const before = await storage.get(channelId.toLowerCase())
  const total = BigInt(before?.chargedCumulativeAmount ?? 0) + charged
  if (total !== BigInt(chargedCumulativeAmount)) return false
  const balance = BigInt(before?.balance ?? 0) + BigInt(payload.deposit?.amount ?? 0)
  await storage.set(channelId.toLowerCase(), {
    ...before,
    chargedCumulativeAmount: `${total}`,
    balance: `${balance}`,
  })
  return true
}

function withoutState(header: string): string {
  const receipt = decodePaymentResponseHeader(header)
  const { channelState: _, ...extra } = receipt.extra ?? {}
  return btoa(JSON.stringify({ ...receipt, extra }))
}

async function buy(client: StockClient, shop: ChannelShop, order: Order): Promise<number> {
  const response = await client.fetch(shop.url, orderInit(order))
  await response.text()
  return response.status
}

test('a client that adds up its charges needs no correction in sequence', async () => {
  const shop = await open()
  const client = addingClient(0)
  let cost = 0
  for (let index = 0; index < 12; index += 1) {
    const kind = index % 3 === 2 ? 'json' : 'stream'
    const order = { ceiling: 1_000 + 300 * index, cost: 100 + 37 * index, kind } as const
    expect(await buy(client, shop, order)).toBe(200)
    cost += order.cost
  }
  expect(client.sent).toHaveLength(12)
  expect(client.unused).toEqual([])
  expect(await channelsOf(shop.store)).toMatchObject([{ charged: BigInt(cost), reserved: 0n }])
})

test('a failed call leaves the sum of a client that adds up its charges right', async () => {
  const shop = await open()
  const client = addingClient(1)
  const order = { ceiling: 1_000, cost: 400 } as const
  expect(await buy(client, shop, { ...order, kind: 'failure' })).toBe(500)
  for (const kind of ['stream', 'failure', 'json', 'stream'] as const) {
    expect(await buy(client, shop, { ...order, kind })).toBe(kind === 'failure' ? 500 : 200)
  }
  expect(client.sent).toHaveLength(5)
  expect(client.unused).toEqual([])
  expect(await channelsOf(shop.store)).toMatchObject([{ charged: 1_200n, deposited: 100_000n }])
})

test('20 parallel calls of a client that adds up its charges are all served, and the next one', async () => {
  const shop = await open()
  const client = addingClient(2)
  const orders = Array.from({ length: 20 }, (_, index): Order => {
    return { ceiling: 1_000, cost: 400, kind: index % 2 ? 'json' : 'stream', text: `${index}` }
  })
  const paid = await Promise.all(orders.map((order) => buy(client, shop, order)))
  expect(paid).toEqual(orders.map(() => 200))
  expect(await buy(client, shop, { ceiling: 1_000, cost: 400 })).toBe(200)
  expect(await channelsOf(shop.store)).toMatchObject([{ charged: 8_400n, deposited: 100_000n }])
})
