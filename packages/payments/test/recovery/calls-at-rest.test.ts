import { randomBytes } from 'node:crypto'
import { type Devnet, startDevnet } from '@farebox/devnet'
import { type RpcFaults, startRpcFaults } from '@farebox/devnet/faults'
import { createPaymentId, LedgerError, type LedgerStore } from '@farebox/ledger'
import { toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { executeAuthorization } from '../support/on-chain.ts'
import { network, nowSeconds, resource, usdc } from '../support/pay.ts'
import {
  payHeaders,
  requestFor,
  runRefunds,
  sell,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { freshPayer, open, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet({ payers: 60 })
  return devnet
})
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function openCounted(): Promise<{ readonly paywall: TestPaywall; readonly node: RpcFaults }> {
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  ends.push(node.stop)
  return {
    node,
    paywall: open({ rpcUrl: node.url, policy: { watchMs: 15_000, rejectedPollMs: 300_000 } }),
  }
}

/** The calls to the node in ten rounds of recovery over half a minute. */
async function callsAtRest({ paywall, node }: Awaited<ReturnType<typeof openCounted>>) {
  paywall.passSeconds(31)
  await paywall.recovery.runOnce()
  const before = node.calls.length
  for (let round = 0; round < 10; round += 1) {
    paywall.passSeconds(3)
    await paywall.recovery.runOnce()
  }
  return node.calls.length - before
}

test('fifty signatures of empty keys leave no rows and cause no calls at rest', async () => {
  const counted = await openCounted()
  const { paywall, node } = counted
  for (let index = 0; index < 50; index += 1) {
    const privateKey = generatePrivateKey()
    const empty = { privateKey, address: privateKeyToAddress(privateKey) }
    const { v2 } = await payHeaders(devnet, empty)
    expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
  }
  expect(node.calls.length).toBeLessThanOrEqual(100)
  expect(await Array.fromAsync(paywall.store.exportPayments())).toEqual([])
  expect(await callsAtRest(counted)).toBe(0)
})

test('refused payments cause no calls at first, and what arrives for them later is refunded', async () => {
  const counted = await openCounted()
  const { paywall } = counted
  const refused = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const payer = freshPayer()
      await devnet.blacklist(payer.address)
      const { v2, signed } = await payHeaders(devnet, payer)
      expect((await paywall.gate.admit(requestFor(v2))).status).toBe('rejected')
      return { payer, signed }
    }),
  )
  expect(await callsAtRest(counted)).toBeLessThan(10)
  const [{ payer, signed }] = refused as [(typeof refused)[number]]
  await devnet.unBlacklist(payer.address)
  await executeAuthorization(devnet, signed)
  paywall.passSeconds(300)
  await paywall.recovery.runOnce()
  await devnet.mine(3)
  paywall.passSeconds(61)
  await paywall.recovery.runOnce()
  await runRefunds(paywall)
  expect(await devnet.usdcBalance(payer.address)).toBe(1_000_000_000n)
})

/** Puts rejected payments of as many payers into the ledger. */
async function reject({ store, clock }: TestPaywall, count: number, validBefore: number) {
  for (let index = 0; index < count; index += 1) {
    const { payment } = await store.claim({
      id: createPaymentId(0, randomBytes(10)),
      network: network.caip2,
      kind: 'sale',
      channelId: null,
      authorization: {
        chainId: network.chainId,
        asset: network.usdc,
        from: toHex(randomBytes(20)),
        to: devnet.treasury.address,
        value: usdc(1_000n),
        nonce: toHex(randomBytes(32)),
        validAfter: 0,
        validBefore,
      },
      payload: null,
      requestDigest: 'a'.repeat(64),
      resource: resource.url,
      model: 'sandbox/echo',
      priceVersion: 'v1',
      clientPaymentId: null,
      intentBlock: 0,
      lease: null,
      createdAt: clock(),
    })
    const reason = 'invalid_exact_evm_transaction_simulation_failed'
    await store.apply(payment, { type: 'settlement_rejected', reason, at: clock() })
  }
}

/** The calls of an hour in which recovery runs every ten seconds. */
async function callsOfAnHour(refused: number): Promise<number> {
  const { paywall, node } = await openCounted()
  paywall.stopClock()
  await reject(paywall, refused, nowSeconds() + 300)
  const before = node.calls.length
  for (let round = 0; round < 360; round += 1) {
    paywall.passSeconds(10)
    await paywall.recovery.runOnce()
  }
  return node.calls.length - before
}

test('a thousand refused payments cause as many calls an hour as one', async () => {
  const one = await callsOfAnHour(1)
  // As long as they are valid, each look includes them.
  expect(one).toBeGreaterThan(12)
  expect(one).toBeLessThanOrEqual(12 * 6)
  expect(await callsOfAnHour(1_000)).toBe(one)
})

test('refused payments are void when they expired, and deleted a week later', async () => {
  const { paywall } = await openCounted()
  await reject(paywall, 20, nowSeconds() - 400)
  paywall.passSeconds(301)
  await paywall.recovery.runOnce()
  expect(await statuses(paywall)).toEqual(Array(20).fill('void'))
  paywall.recovery.start()
  await paywall.recovery.stop()
  expect(await statuses(paywall)).toHaveLength(20)
  paywall.passSeconds(7 * 86_400 + 1)
  paywall.recovery.start()
  await paywall.recovery.stop()
  expect(await statuses(paywall)).toEqual([])
})

test('a refused payment that the database no longer changes does not stop others from ending', async () => {
  const { paywall } = await openCounted()
  await reject(paywall, 3, nowSeconds() - 400)
  const faults: unknown[] = []
  let applied = 0
  const refused = new LedgerError('refused_by_database', 'a constraint')
  const store: LedgerStore = {
    ...paywall.store,
    apply: async (...write) => {
      applied += 1
      if (applied === 1) throw refused
      return await paywall.store.apply(...write)
    },
  }
  const other = open({
    store,
    policy: { rejectedPollMs: 300_000 },
    onEvent: (notice) => {
      if (notice.type === 'fault') faults.push(notice.error)
    },
  })
  other.passSeconds(301)
  await other.recovery.runOnce()
  expect((await statuses(other)).toSorted()).toEqual(['rejected', 'void', 'void'])
  expect(faults).toEqual([refused])
})

test('while all fail, recovery waits five seconds between its rounds', async () => {
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  ends.push(node.stop)
  const rounds: { readonly ms: number; readonly next: () => void }[] = []
  const after = (ms: number, next: () => void) => {
    rounds.push({ ms, next })
    return () => undefined
  }
  const policy = { recoveryPollMs: 500, rejectedPollMs: 300_000 }
  const paywall = open({ rpcUrl: node.url, timers: { after }, policy })
  const seller = open({ store: paywall.store })
  await sell(seller, payer(59), 4_000n)
  await reject(paywall, 2, nowSeconds() + 300)
  paywall.passSeconds(60)
  const isDown = [true, true, false]
  const waits: number[] = []
  for (const down of isDown) {
    node.setRule(down ? () => ({ kind: 'refuse' }) : undefined)
    const next = rounds.shift()?.next ?? paywall.recovery.start
    next()
    await expect.poll(() => rounds.length, { timeout: 20_000 }).toBe(1)
    waits.push(rounds[0]!.ms)
    paywall.passSeconds(5)
  }
  expect(waits).toEqual([5_000, 5_000, 500])
})

async function statuses({ store }: TestPaywall): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { payment } of store.exportPayments()) found.push(payment.status)
  return found
}
