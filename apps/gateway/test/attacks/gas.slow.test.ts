// Faster tests of the same: hostile-payers and hostile-requests of payments, and payer-budget.
import { burningWallet, delegateTo, flippingWallet } from '@farebox/devnet'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import {
  type Attacked,
  attacked,
  figure,
  pause,
  purchase,
  sentBy,
  spentBy,
  statusOf,
  untilQuiet,
} from './attacked-gateway.ts'

const usage = { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13 }
const body = chatOf('hello', { model: 'openai/gpt-4.1' })

let upstream: UpstreamServer
let gateway: Attacked
beforeAll(async () => {
  upstream = await openUpstream({
    hello: (response) => answerWith(response, 'hello', usage),
    malformed: (response) => {
      response.writeHead(400, { 'Content-Type': 'application/json' })
      response.end('{"error":{"message":"Invalid image","type":"invalid_request_error"}}')
    },
  })
  gateway = await attacked(40, {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: upstream.url,
    RESUME_SECONDS: '1',
    TRUST_PROXY: 'loopback',
  })
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
})

let next = 0
const freshPayer = () => gateway.devnet.payers[next++]!

test('code that burns 13 million gas and agrees', async () => {
  const payer = freshPayer()
  await delegateTo(gateway.devnet, payer.address, burningWallet(13_000_000))
  const statuses: number[] = []
  const { gas } = await spentBy(gateway.devnet, async () => {
    statuses.push(await statusOf(gateway, { payer, body }))
  })
  figure(`code that burns and agrees: ${statuses.join()}, ${gas} gas`)
  expect(gas).toBe(0)
  expect(statuses).toEqual([402])
})

test.each([13_000_000, 400_000])(
  'code that uses %i gas, agrees in simulations and reverts on the chain, eight requests',
  async (burnt) => {
    const payer = freshPayer()
    await delegateTo(gateway.devnet, payer.address, flippingWallet(burnt))
    const statuses: number[] = []
    const { gas } = await spentBy(gateway.devnet, async () => {
      for (let asked = 0; asked < 8; asked += 1) {
        statuses.push(await statusOf(gateway, { payer, body }))
      }
    })
    figure(`code of ${burnt} gas that agrees in simulations: ${statuses.join()}, ${gas} gas`)
    expect(gas).toBeLessThanOrEqual(3 * 600_000)
    expect(statuses.at(-1)).toBe(402)
  },
)

test('forty signatures at once over one balance', async () => {
  const { devnet } = gateway
  const privateKey = generatePrivateKey()
  const payer = { privateKey, address: privateKeyToAddress(privateKey) }
  await devnet.mint(payer.address, 40_000n)
  await devnet.setBlockTime(2)
  const statuses: number[] = []
  const { transactions, gas } = await spentBy(devnet, async () => {
    const asked = Array.from({ length: 40 }, () => statusOf(gateway, { payer, body }))
    statuses.push(...(await Promise.all(asked)))
    await pause(4)
  })
  await devnet.setBlockTime(0)
  await devnet.setAutomine('on')
  const served = statuses.filter((status) => status === 200).length
  figure(
    `forty signatures over one balance: ${served} served, ${transactions} transactions, ${gas} gas`,
  )
  expect(served).toBeGreaterThan(0)
  // A settlement and a refund for each; on a busy machine a refund lets the balance cover one more.
  expect(transactions).toBeLessThanOrEqual(2 * served)
})

const soon = { timeout: 20_000 }

test('leaving while the payment settles, five times', async () => {
  const { devnet } = gateway
  const payer = freshPayer()
  const before = await devnet.usdcBalance(payer.address)
  const { transactions, gas } = await spentBy(devnet, async () => {
    // A refund that is still to be sent would be taken for the settlement.
    await untilQuiet(devnet)
    for (let purchases = 0; purchases < 5; purchases += 1) {
      const sent = await sentBy(devnet)
      const leaving = new AbortController()
      await devnet.setAutomine('off')
      const asked = purchase(gateway, { payer, body, signal: leaving.signal })
      await expect.poll(() => sentBy(devnet), soon).toBe(sent + 1)
      leaving.abort()
      await asked.catch(() => undefined)
      await fetch(`${gateway.url}/v1/health`)
      await devnet.setAutomine('on')
      await devnet.mine(1)
      await expect.poll(() => sentBy(devnet), soon).toBe(sent + 2)
    }
  })
  const paid = async () => before - (await devnet.usdcBalance(payer.address))
  figure(
    `five purchases left: ${transactions} transactions, ${gas} gas, payer paid ${await paid()} units`,
  )
  // A busy machine may still owe a refund.
  await expect.poll(paid).toBe(5_000n)
})

test('requests that the provider rejects, fifteen of one payer', async () => {
  const payer = freshPayer()
  const statuses: number[] = []
  const { transactions, gas } = await spentBy(gateway.devnet, async () => {
    for (let asked = 0; asked < 15; asked += 1) {
      const rejected = { payer, body: chatOf('malformed', { model: 'openai/gpt-4.1' }) }
      statuses.push(await statusOf(gateway, rejected))
    }
  })
  const settled = statuses.filter((status) => status !== 402).length
  figure(`rejected requests: ${settled} of 15 settled, ${transactions} transactions, ${gas} gas`)
  expect(settled).toBe(10)
})

test('requests that the provider rejects, of thirty wallets at one network address', async () => {
  const wallets = Array.from({ length: 30 }, freshPayer)
  const headers = { 'X-Forwarded-For': '192.0.2.7' }
  const malformed = chatOf('malformed', { model: 'openai/gpt-4.1' })
  const statuses: number[] = []
  const { transactions, gas } = await spentBy(gateway.devnet, async () => {
    for (let round = 0; round < 9; round += 1) {
      const asked = wallets.map((payer) => statusOf(gateway, { payer, body: malformed, headers }))
      statuses.push(...(await Promise.all(asked)))
    }
  })
  const settled = statuses.filter((status) => status !== 402).length
  figure(`a farm of wallets: ${settled} of 270 settled, ${transactions} transactions, ${gas} gas`)
  // Those of the round in which the last one ended were under way.
  expect(settled).toBeGreaterThanOrEqual(200)
  expect(settled).toBeLessThan(230)
  const [payer] = wallets
  const elsewhere = { 'X-Forwarded-For': '192.0.2.8' }
  expect(await statusOf(gateway, { payer: payer!, body, headers: elsewhere })).toBe(200)
  const refused = await purchase(gateway, { payer: payer!, body, headers })
  expect(refused.status).toBe(402)
  expect(await refused.text()).toMatch(/network address ended unserved: .*until 20\d\d-.*Z/)
})
