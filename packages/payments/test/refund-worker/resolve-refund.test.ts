import { type Devnet, startDevnet } from '@farebox/devnet'
import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { retryRefund, writeOffRefund } from '@farebox/payments'
import { expect, test } from 'vitest'
import { executeAuthorization } from '../support/on-chain.ts'
import { usdc } from '../support/pay.ts'
import {
  auditShop,
  finishRefunds,
  price,
  reload,
  runRefunds,
  type Shop,
  sell,
} from '../support/shop.ts'
import { auditedShopsOn, funds } from '../support/shops.ts'

let devnet: Devnet
const { balance, open, payer } = auditedShopsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const hour = 3_600
const day = 24 * hour
const validity = { refundValiditySeconds: hour }

async function refundTransferOf(shop: Shop, payment: PaymentRecord): Promise<RefundTransfer> {
  const { refund } = await reload(shop, payment)
  const transfer = await shop.store.loadRefund(refund!.nonce!)
  return transfer!
}

async function decisionOn(shop: Shop, payment: PaymentRecord) {
  const { nonce } = await refundTransferOf(shop, payment)
  return { store: shop.store, clock: shop.clock, nonce }
}

/** Moves time forward, here and on the chain. */
async function pass(shop: Shop, seconds: number): Promise<void> {
  shop.passSeconds(seconds)
  await devnet.increaseTime(seconds)
  await devnet.mine(1)
}

async function soldToBlacklisted(shop: Shop): Promise<PaymentRecord> {
  const payment = await sell(shop, payer(0), 4_000n)
  await devnet.blacklist(payer(0).address)
  await runRefunds(shop)
  expect(await refundTransferOf(shop, payment)).toMatchObject({ reason: 'blacklisted_payee' })
  return payment
}

const noticesOf = (shop: Shop, type: string) =>
  shop.notices.filter((notice) => notice.type === type)

test('a refund is written off only when no signature over it is valid any more', async () => {
  const shop = open({ policy: validity })
  const payment = await soldToBlacklisted(shop)
  const accepted = await writeOffRefund(await decisionOn(shop, payment))
  expect(accepted).toMatchObject({ status: 'accepted', transfer: { status: 'blocked' } })
  await shop.refunds.runOnce()
  expect((await reload(shop, payment)).refund).toMatchObject({ status: 'blocked' })

  // Expired by our clock alone: a block of the chain may still include it.
  shop.passSeconds(hour + 700)
  await shop.refunds.runOnce()
  expect((await reload(shop, payment)).refund).toMatchObject({ status: 'blocked' })

  await devnet.increaseTime(hour + 700)
  await devnet.mine(1)
  shop.passSeconds(61)
  await shop.refunds.runOnce()
  expect((await reload(shop, payment)).refund).toMatchObject({ status: 'written_off' })
  expect(noticesOf(shop, 'refund_written_off')).toMatchObject([{ reason: 'write_off_requested' }])
  const { explained } = await auditShop(shop)
  expect(explained).toMatchObject([{ kind: 'written_off', amount: 6_000n }])
  expect(await balance(0)).toBe(funds - price)
})

test('a refund that was written off is paid after all when its operator retries it', async () => {
  const shop = open({ policy: validity })
  const payment = await soldToBlacklisted(shop)
  const decision = await decisionOn(shop, payment)
  await writeOffRefund(decision)
  await pass(shop, hour + 700)
  await shop.refunds.runOnce()
  expect((await reload(shop, payment)).refund).toMatchObject({ status: 'written_off' })

  await devnet.unBlacklist(payer(0).address)
  expect(await retryRefund(decision)).toMatchObject({ status: 'accepted' })
  await finishRefunds(shop)
  expect((await reload(shop, payment)).refund).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
  expect((await auditShop(shop)).explained).toEqual([])
})

test('a refund that is retried before it was written off is paid', async () => {
  const shop = open({ policy: validity })
  const payment = await soldToBlacklisted(shop)
  const decision = await decisionOn(shop, payment)
  await writeOffRefund(decision)
  await devnet.unBlacklist(payer(0).address)
  await retryRefund(decision)
  await finishRefunds(shop)
  expect(await balance(0)).toBe(funds - 4_000n)
  expect(noticesOf(shop, 'refund_written_off')).toEqual([])
})

test('a refund that is delivered after its write-off was requested is booked, not written off', async () => {
  const shop = open({ policy: validity })
  const payment = await soldToBlacklisted(shop)
  await writeOffRefund(await decisionOn(shop, payment))
  const { nonce, signature, validBefore } = await refundTransferOf(shop, payment)
  await devnet.unBlacklist(payer(0).address)
  await executeAuthorization(devnet, {
    message: {
      from: devnet.treasury.address,
      to: payer(0).address,
      value: 6_000n,
      validAfter: 0n,
      validBefore: BigInt(validBefore!),
      nonce,
    },
    signature: signature!,
  })
  await pass(shop, hour + 700)
  await finishRefunds(shop)
  expect((await reload(shop, payment)).refund).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a batched refund of which one payment is lost for good waits until its operator writes it off', async () => {
  const shop = open({ refundMinimum: 5_000n, policy: validity })
  const kept = await sell(shop, payer(0), 7_000n)
  const lost = await sell(shop, payer(0), 7_500n)
  await devnet.pause()
  await shop.refunds.runOnce()
  expect((await reload(shop, kept)).refund).toMatchObject({ status: 'due' })
  // Two blocks: the token's pause, and the settlement before it.
  await devnet.reorg(2)
  await pass(shop, 400)
  await shop.recovery.runOnce()
  await shop.recovery.runOnce()
  expect(await reload(shop, lost)).toMatchObject({ settlement: null, reason: 'settlement_lost' })
  shop.passSeconds(60)
  await shop.refunds.runOnce()
  shop.passSeconds(day)
  await shop.refunds.runOnce()
  expect(await refundTransferOf(shop, kept)).toMatchObject({
    status: 'blocked',
    reason: 'settlement_lost',
  })

  expect(await writeOffRefund(await decisionOn(shop, kept))).toMatchObject({ status: 'accepted' })
  await pass(shop, day)
  await shop.refunds.runOnce()
  expect((await reload(shop, kept)).refund).toMatchObject({ status: 'written_off' })
  expect((await reload(shop, lost)).refund).toMatchObject({ status: 'written_off' })
  const { explained } = await auditShop(shop)
  expect(explained.map(({ kind }) => kind).toSorted()).toEqual(['absorbed_loss', 'written_off'])
})

test('a refund that is deliverable, already sent or unknown cannot be written off', async () => {
  const shop = open({ policy: { maxRefund: usdc(5_000n) } })
  const capped = await sell(shop, payer(0), 0n)
  const paid = await sell(shop, payer(1), 9_000n)
  await runRefunds(shop)
  expect(await writeOffRefund(await decisionOn(shop, capped))).toMatchObject({
    status: 'deliverable',
    transfer: { reason: 'refund_cap' },
  })
  const done = await decisionOn(shop, paid)
  expect(await writeOffRefund(done)).toMatchObject({ status: 'not_blocked' })
  expect(await retryRefund(done)).toMatchObject({ status: 'not_blocked' })
  const unknown = { ...done, nonce: `0x${'0'.repeat(64)}` } as const
  expect(await writeOffRefund(unknown)).toEqual({ status: 'not_found' })
})

test('a refund that stays blocked for a week is reported every day from then on', async () => {
  const shop = open()
  await soldToBlacklisted(shop)
  for (let looks = 0; looks < 6; looks += 1) {
    shop.passSeconds(day + 1)
    await shop.refunds.runOnce()
  }
  expect(noticesOf(shop, 'refund_overdue')).toEqual([])
  for (let looks = 0; looks < 3; looks += 1) {
    shop.passSeconds(day + 1)
    await shop.refunds.runOnce()
  }
  expect(noticesOf(shop, 'refund_overdue')).toHaveLength(3)
  expect(noticesOf(shop, 'refund_blocked')).toHaveLength(1)
})
