import { type Devnet, startDevnet } from '@farebox/devnet'
import { createMemoryStore, type LedgerStore } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { type HandlerSale, openPaywall, paidHandler } from '@farebox/payments/fetch'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { channelsOf, receiptOf, stockClient } from '../support/channel-shop.ts'

let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet()
})
afterAll(async () => {
  await devnet.stop()
})

const url = 'http://shop.example/shout'
const post = (body: string): RequestInit => ({ method: 'POST', body })

/** A handler that a stock client pays from a channel. */
async function sellByChannel(payer: number, serve: HandlerSale['serve'], store: LedgerStore) {
  const { rpcUrl, treasury, relayer } = devnet
  const paywall = openPaywall({
    network: 'devnet',
    rpcUrl,
    treasuryKey: treasury.privateKey,
    relayerKey: relayer.privateKey,
    store,
    channels: {},
  })
  onTestFinished(() => paywall.close())
  await paywall.channelRounds?.runOnce()
  const price = () => atomicUsdc(10_000n)
  const handler = paidHandler(paywall, { description: 'capitals', price, serve })
  return stockClient(devnet, payer, { bare: true, send: handler })
}

test('a handler is paid from a channel, with the cost of a response in JSON in its receipt', async () => {
  const serve: HandlerSale['serve'] = async (request) => {
    const text = await request.text()
    if (text === 'fail') throw new Error('it failed')
    if (text === 'stream') return { response: new Response('A B'), cost: atomicUsdc(3_000n) }
    return { response: Response.json(text), cost: atomicUsdc(4_000n) }
  }
  const client = await sellByChannel(9, serve, createMemoryStore())
  const charged: string[] = []
  for (const text of ['json', 'stream', 'fail', 'json again']) {
    const paid = await client.fetch(url, post(text))
    charged.push(receiptOf(paid).charged)
    await paid.text()
  }
  // The stream's receipt holds its ceiling, which the last one takes back.
  expect(charged).toEqual(['4000', '10000', '0', '1'])
  expect(client.sent).toHaveLength(4)
})

test('a stream of cost zero states that its channel is not charged', async () => {
  const serve: HandlerSale['serve'] = async () => ({
    response: new Response('not found', { status: 404 }),
    cost: atomicUsdc(0n),
  })
  const client = await sellByChannel(11, serve, createMemoryStore())
  for (const text of ['a', 'b']) {
    const paid = await client.fetch(url, post(text))
    expect([paid.status, await paid.text()]).toEqual([404, 'not found'])
    expect(receiptOf(paid)).toMatchObject({ charged: '0', total: '0' })
  }
  expect(client.sent).toHaveLength(2)
})

test('a client that left while its deposit was made is not served, and its channel not charged', async () => {
  const leaving = new AbortController()
  const memory = createMemoryStore()
  const store: LedgerStore = {
    ...memory,
    async holdCall(...call) {
      leaving.abort()
      return await memory.holdCall(...call)
    },
  }
  let served = 0
  const serve: HandlerSale['serve'] = async () => {
    served += 1
    return { response: new Response('A'), cost: atomicUsdc(3_000n) }
  }
  const client = await sellByChannel(10, serve, store)
  await client.fetch(url, { ...post('a'), signal: leaving.signal })
  expect(served).toBe(0)
  const [channel] = await channelsOf(memory)
  expect(channel).toMatchObject({ deposited: 200_000n, charged: 0n, reserved: 0n })
})
