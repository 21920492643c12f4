import { type Devnet, startDevnet } from '@farebox/devnet'
import { startRpcFaults } from '@farebox/devnet/faults'
import type { PaymentNotice } from '@farebox/payments'
import { numberToHex } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { executeAuthorization, transferFrom } from '../support/on-chain.ts'
import { type Signing, signAuthorization, usdc } from '../support/pay.ts'
import {
  coldWallet,
  price,
  reload,
  runRefunds,
  sell,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { funds, testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
let snapshot: string
const { open: openPaywall, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  snapshot = await devnet.snapshot()
  return devnet
})
beforeEach(async () => {
  await devnet.revert(snapshot)
  snapshot = await devnet.snapshot()
})

const opened: TestPaywall[] = []
// A queue that stays open sends what a revert removed from the chain again, in the next test.
afterEach(() => {
  for (const paywall of opened.splice(0)) paywall.close()
})

function open(options: Parameters<typeof openPaywall>[0] = {}): TestPaywall {
  const paywall = openPaywall(options)
  opened.push(paywall)
  return paywall
}

async function check(paywall: TestPaywall): Promise<readonly PaymentNotice[]> {
  paywall.passSeconds(61)
  const before = paywall.notices.length
  await paywall.refunds.runOnce()
  await paywall.treasuryMonitor.runOnce()
  return paywall.notices.slice(before).filter(({ type }) => type.startsWith('sales_'))
}

test('sales and refunds of this ledger stop nothing', async () => {
  const paywall = open()
  expect(await check(paywall)).toEqual([])
  await sell(paywall, payer(0), 4_000n)
  await sell(paywall, payer(1), 0n)
  expect(await check(paywall)).toEqual([])
  await runRefunds(paywall)
  expect(await check(paywall)).toEqual([])
  // All that is left in the treasury is earned: its owner may take it.
  await transferFrom(devnet, devnet.treasury.address, { to: payer(5).address, value: 1_000n })
  // Without its own gas, the treasury's owner signs, and another account sends.
  await executeAuthorization(devnet, await signedByTreasury({ value: 3_000n, to: coldWallet }))
  expect(await check(paywall)).toEqual([])
})

test('a treasury that holds less than it owes stops sales until it is topped up; refunds continue', async () => {
  const paywall = open({ policy: { refundConfirmations: 4 } })
  const large = await sell(paywall, payer(0), 0n)
  const small = await sell(paywall, payer(1), 9_000n)
  expect(await check(paywall)).toEqual([])
  await transferFrom(devnet, devnet.treasury.address, { to: coldWallet, value: 15_000n })
  expect(await check(paywall)).toEqual([
    { type: 'sales_stopped', reason: 'treasury_short', balance: 5_000n, owed: 11_000n },
  ])
  expect(await check(paywall)).toEqual([])
  await devnet.mine(4)
  await runRefunds(paywall)
  expect((await reload(paywall, small)).refund?.status).toBe('confirmed')
  expect((await reload(paywall, large)).refund?.status).toBe('blocked')

  await devnet.mint(devnet.treasury.address, 6_000n)
  expect(await check(paywall)).toEqual([{ type: 'sales_resumed', reason: 'treasury_short' }])
  await runRefunds(paywall)
  expect((await reload(paywall, large)).refund?.status).toBe('confirmed')
})

test('a node behind what it showed before makes the treasury look short only after ten minutes', async () => {
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  const paywall = open({ rpcUrl: node.url, policy: { refundConfirmations: 4 } })
  const earlier = await devnet.rpc('eth_getBlockByNumber', ['latest', false])
  await sell(paywall, payer(0), 4_000n)
  expect(await check(paywall)).toEqual([])
  node.setRule(({ method, params }) => {
    if (method === 'eth_call') return { kind: 'result', result: numberToHex(0, { size: 32 }) }
    const isHead = method === 'eth_getBlockByNumber' && params[0] === 'latest'
    return isHead ? { kind: 'result', result: earlier } : undefined
  })
  expect(await check(paywall)).toEqual([])
  paywall.passSeconds(460)
  expect(await check(paywall)).toEqual([])
  expect(await check(paywall)).toMatchObject([{ type: 'sales_stopped', reason: 'treasury_short' }])
  node.setRule()
  expect(await check(paywall)).toMatchObject([{ type: 'sales_resumed', reason: 'treasury_short' }])
  await transferFrom(devnet, devnet.treasury.address, { to: coldWallet, value: 9_000n })
  expect(await check(paywall)).toMatchObject([{ type: 'sales_stopped', reason: 'treasury_short' }])
  await node.stop()
})

test('a refund that was sent and that cannot be looked up is not blocked, and stops no sales', async () => {
  const node = await startRpcFaults({ target: devnet.rpcUrl })
  const paywall = open({ rpcUrl: node.url })
  const refused = { kind: 'status', status: 429 } as const
  const refuseLogs = (): void => {
    node.setRule(({ method }) => (/Receipt|getLogs/.test(method) ? refused : undefined))
  }
  await sell(paywall, payer(0), 4_000n)
  refuseLogs()
  await paywall.refunds.runOnce()
  await transferFrom(devnet, devnet.treasury.address, { to: coldWallet, value: 4_000n })
  for (let round = 0; round < 3; round += 1) {
    paywall.passSeconds(21)
    await paywall.refunds.runOnce()
  }
  node.setRule()
  await paywall.treasuryMonitor.runOnce()
  const types = paywall.notices.map(({ type }) => type)
  expect(types).toContain('refund_submitted')
  expect(types).not.toContain('sales_stopped')
  expect(types).not.toContain('refund_blocked')
  await node.stop()
})

test('a blocked treasury, or a paused token, stops sales until it ends', async () => {
  const paywall = open()
  await devnet.blacklist(devnet.treasury.address)
  await devnet.pause()
  expect(await check(paywall)).toEqual([
    { type: 'sales_stopped', reason: 'token_paused' },
    { type: 'sales_stopped', reason: 'treasury_blacklisted' },
  ])
  expect(await check(paywall)).toEqual([])
  await devnet.unpause()
  expect(await check(paywall)).toEqual([{ type: 'sales_resumed', reason: 'token_paused' }])
  await devnet.unBlacklist(devnet.treasury.address)
  expect(await check(paywall)).toEqual([{ type: 'sales_resumed', reason: 'treasury_blacklisted' }])
})

test('a transfer by the treasury that the ledger does not know stops sales for good', async () => {
  const paywall = open()
  await sell(paywall, payer(0), price)
  await check(paywall)
  await executeAuthorization(devnet, await signedByTreasury({ value: 7_000n }))
  expect(await check(paywall)).toMatchObject([{ type: 'sales_stopped', reason: 'refund_unknown' }])
  await devnet.mint(devnet.treasury.address, funds)
  expect(await check(paywall)).toEqual([])
  // To start again is to have looked, once that is some blocks ago.
  const again = { store: paywall.store, policy: { treasuryLookBackBlocks: 3 } }
  expect(await check(open(again))).toMatchObject([{ reason: 'refund_unknown' }])
  await devnet.mine(3)
  expect(await check(open(again))).toEqual([])
})

test('a transfer in a block that replaces one that was checked stops sales', async () => {
  const paywall = open({ policy: { refundConfirmations: 2 } })
  await devnet.mint(devnet.treasury.address, funds)
  await check(paywall)
  const before = await devnet.snapshot()
  await devnet.mine(2)
  expect(await check(paywall)).toEqual([])
  await devnet.revert(before)
  await executeAuthorization(devnet, await signedByTreasury({ value: 7_000n }))
  await devnet.mine(1)
  expect(await check(paywall)).toMatchObject([{ type: 'sales_stopped', reason: 'refund_unknown' }])
})

test('a sale of another ledger on the same treasury stops sales; one that its payer settles does not', async () => {
  const paywall = open()
  await check(paywall)
  const gift = await signAuthorization({
    signer: payer(2),
    to: devnet.treasury.address,
    value: 5n,
  })
  await executeAuthorization(devnet, gift)
  expect(await check(paywall)).toEqual([])
  const other = open({ owner: 'another-gateway', queue: paywall.queue })
  await sell(other, payer(3), price)
  expect(await check(paywall)).toMatchObject([{ type: 'sales_stopped', reason: 'sale_unknown' }])
})

test('a gateway whose treasury has another ledger sells nothing', async () => {
  const first = open()
  await sell(first, payer(0), price)
  const second = open({ policy: { treasuryLookBackBlocks: 300 } })
  expect(await check(second)).toMatchObject([{ type: 'sales_stopped', reason: 'sale_unknown' }])
  expect(
    await check(open({ store: first.store, policy: { treasuryLookBackBlocks: 300 } })),
  ).toEqual([])
})

test('a refund that left with another amount stops sales', async () => {
  const paywall = open({ policy: { maxRefund: usdc(1n) } })
  const payment = await sell(paywall, payer(0), 4_000n)
  await check(paywall)
  const { refund } = await reload(paywall, payment)
  await executeAuthorization(
    devnet,
    await signedByTreasury({ value: 6_001n, nonce: refund!.nonce! }),
  )
  const stops = await check(paywall)
  expect(stops).toContainEqual(expect.objectContaining({ reason: 'refund_differs' }))
})

/** A transfer signed with the treasury's key by a person, or by a bug. */
async function signedByTreasury(signing: Partial<Signing> & { readonly value: bigint }) {
  return await signAuthorization({ signer: devnet.treasury, to: payer(0).address, ...signing })
}
