import { type Devnet, startDevnet } from '@farebox/devnet'
import {
  createMemoryDisk,
  createMemoryStore,
  type MemoryDisk,
  type PaymentRecord,
} from '@farebox/ledger'
import { expect, test } from 'vitest'
import { executeAuthorization } from '../support/on-chain.ts'
import { usdc } from '../support/pay.ts'
import {
  admitted,
  auditShop,
  finishRefunds,
  payHeaders,
  price,
  reload,
  requestFor,
  runRefunds,
  type Shop,
  type ShopOptions,
  sell,
  serve,
  until,
} from '../support/shop.ts'
import { auditedShopsOn, funds } from '../support/shops.ts'

let devnet: Devnet
const { balance, open, payer } = auditedShopsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const refundOf = async (shop: Shop, payment: PaymentRecord) => (await reload(shop, payment)).refund

test('a settlement that vanished before its refund: nothing is given back until it is paid again', async () => {
  const shop = open()
  const payment = await sell(shop, payer(0), 4_000n)
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds)
  await runRefunds(shop)
  expect((await reload(shop, payment)).settlement).toBeNull()
  expect(await refundOf(shop, payment)).toMatchObject({ status: 'blocked' })
  expect(await balance(0)).toBe(funds)

  // The payer's authorisation is still valid: recovery sends the same payload again.
  shop.passSeconds(31)
  await shop.recovery.runOnce()
  expect((await reload(shop, payment)).settlement).not.toBeNull()
  shop.passSeconds(31)
  await runRefunds(shop)
  expect(await refundOf(shop, payment)).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a settlement that vanished for good: the cost is our loss and no refund is sent', async () => {
  const shop = open()
  const payment = await sell(shop, payer(0), 4_000n)
  await devnet.reorg(1)
  await devnet.increaseTime(400)
  shop.passSeconds(400)
  await shop.recovery.runOnce()
  await shop.recovery.runOnce()
  expect(await reload(shop, payment)).toMatchObject({ settlement: null, reason: 'settlement_lost' })
  await finishRefunds(shop)
  shop.passSeconds(60)
  await finishRefunds(shop)
  expect(await refundOf(shop, payment)).toMatchObject({ status: 'written_off' })
  expect(await balance(0)).toBe(funds)
})

test('a refund that vanished is sent again, once', async () => {
  const shop = open()
  const payment = await sell(shop, payer(0), 4_000n)
  await runRefunds(shop)
  expect(await balance(0)).toBe(funds - 4_000n)
  await devnet.reorg(1)
  expect(await balance(0)).toBe(funds - price)
  // The relayer's queue notices by itself that its transaction needs sending again.
  await finishRefunds(shop)
  expect(await refundOf(shop, payment)).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
  const { nonce } = (await refundOf(shop, payment))!
  expect(await shop.store.loadRefund(nonce!)).toMatchObject({ status: 'final' })
})

type Restored = { readonly shop: Shop; readonly disk: MemoryDisk }

function openOnDisk(options: Omit<ShopOptions, 'devnet' | 'store'> = {}): Restored {
  const disk = createMemoryDisk()
  return { disk, shop: open({ ...options, store: createMemoryStore({ disk }) }) }
}

test('a backup from before the refunds: what the chain holds is booked, no unit leaves twice', async () => {
  const { shop, disk } = openOnDisk()
  const sold = [await sell(shop, payer(0), 1_000n), await sell(shop, payer(1), 2_000n)]
  const backup = disk.snapshot()
  await finishRefunds(shop)
  const paid = [await balance(0), await balance(1)]
  expect(paid).toEqual([funds - 1_000n, funds - 2_000n])

  disk.restore(backup)
  shop.passSeconds(61)
  await finishRefunds(shop)
  expect([await balance(0), await balance(1)]).toEqual(paid)
  for (const payment of sold) {
    expect(await refundOf(shop, payment)).toMatchObject({ status: 'confirmed' })
  }
  expect(shop.notices.filter(({ type }) => type === 'refund_found')).toHaveLength(2)
})

test('a backup from while it was served: the cost that the refund implies is booked', async () => {
  const { shop, disk } = openOnDisk()
  const payment = await serve(shop, payer(0))
  const backup = disk.snapshot()
  await shop.gate.complete(payment, { cost: usdc(4_000n), usage: null, answer: null })
  await finishRefunds(shop)
  disk.restore(backup)
  shop.passSeconds(61)
  await shop.recovery.runOnce()
  await finishRefunds(shop)
  expect(await reload(shop, payment)).toMatchObject({
    status: 'completed',
    cost: 4_000n,
    refund: { amount: 6_000n, status: 'confirmed' },
  })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a backup from before the claim: the authorisation buys nothing a second time', async () => {
  const { shop, disk } = openOnDisk()
  const backup = disk.snapshot()
  const { v2 } = await payHeaders(devnet, payer(0))
  const begun = await shop.gate.begin(admitted(await shop.gate.admit(requestFor(v2))))
  await shop.gate.complete(begun.payment, { cost: usdc(4_000n), usage: null, answer: null })
  await finishRefunds(shop)
  disk.restore(backup)
  shop.passSeconds(2)
  const again = await shop.gate.admit(requestFor(v2))
  expect(again).toMatchObject({ status: 'spent', payment: { reason: 'unsolicited_transfer' } })
  shop.passSeconds(61)
  await shop.recovery.runOnce()
  await finishRefunds(shop)
  expect(await balance(0)).toBe(funds - 4_000n)
  const { explained } = await auditShop(shop)
  expect(explained).toMatchObject([{ kind: 'forgotten_refund', amount: 6_000n }])
})

test('a backup from before a small refunds batch: its transfer is booked, the next has a new number', async () => {
  const { shop, disk } = openOnDisk({ refundMinimum: 5_000n })
  const first = [await sell(shop, payer(0), 7_000n), await sell(shop, payer(0), 7_500n)]
  const backup = disk.snapshot()
  await finishRefunds(shop)
  expect(await balance(0)).toBe(funds - 2n * price + 5_500n)

  disk.restore(backup)
  const second = [await sell(shop, payer(0), 7_000n), await sell(shop, payer(0), 7_500n)]
  shop.passSeconds(61)
  await until(async () => {
    await shop.refunds.runOnce()
    const refunds = await Promise.all([...first, ...second].map((each) => refundOf(shop, each)))
    return refunds.every((refund) => refund?.status === 'confirmed')
  })
  expect(await balance(0)).toBe(funds - 4n * price + 11_000n)
  const nonces = await Promise.all(
    [first[0]!, second[0]!].map(async (each) => (await refundOf(shop, each))?.nonce),
  )
  expect(new Set(nonces).size).toBe(2)
})

test('a backup that lost a small refunds batch and its payments altogether uses the next number', async () => {
  const { shop, disk } = openOnDisk({ refundMinimum: 5_000n })
  const backup = disk.snapshot()
  await sell(shop, payer(0), 7_000n)
  await sell(shop, payer(0), 7_500n)
  await finishRefunds(shop)
  disk.restore(backup)
  const later = [await sell(shop, payer(0), 7_000n), await sell(shop, payer(0), 7_500n)]
  await finishRefunds(shop)
  for (const payment of later) {
    expect(await refundOf(shop, payment)).toMatchObject({ status: 'confirmed' })
  }
  expect(await balance(0)).toBe(funds - 4n * price + 11_000n)
})

test('an unused authorisation is void only after its time, in the time of the chain', async () => {
  const silent = { name: 'silent', settle: () => new Promise<never>(() => undefined) }
  const shop = open({ facilitator: silent, policy: { settleTimeoutMs: 50, proofTimeoutMs: 0 } })
  const { v2, signed } = await payHeaders(devnet, payer(0))
  const admission = await shop.gate.admit(requestFor(v2))
  if (admission.status !== 'pending') throw new Error(admission.status)
  shop.passSeconds(1_000)
  await shop.recovery.runOnce()
  expect((await reload(shop, admission.payment)).status).toBe('unknown')
  expect((await shop.gate.admit(requestFor(v2))).status).toBe('pending')
  await devnet.increaseTime(1_000)
  await shop.recovery.runOnce()
  expect((await reload(shop, admission.payment)).status).toBe('void')
  expect((await shop.gate.admit(requestFor(v2))).status).toBe('rejected')
  await expect(executeAuthorization(devnet, signed)).rejects.toThrow()
})
