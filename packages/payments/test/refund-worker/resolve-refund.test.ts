import { type Devnet, startDevnet } from '@farebox/devnet'
import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { retryRefund, writeOffRefund } from '@farebox/payments'
import { expect, test } from 'vitest'
import { executeAuthorization } from '../support/on-chain.ts'
import { usdc } from '../support/pay.ts'
import {
  auditTestPaywall,
  finishRefunds,
  price,
  reload,
  runRefunds,
  sell,
  type TestPaywall,
} from '../support/test-paywall.ts'
import { auditedTestPaywallsOn, funds } from '../support/test-paywalls.ts'

let devnet: Devnet
const { balance, open, payer } = auditedTestPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const hour = 3_600
const day = 24 * hour
const validity = { refundValiditySeconds: hour }

async function refundTransferOf(
  paywall: TestPaywall,
  payment: PaymentRecord,
): Promise<RefundTransfer> {
  const { refund } = await reload(paywall, payment)
  const transfer = await paywall.store.loadRefund(refund!.nonce!)
  return transfer!
}

async function decisionOn(paywall: TestPaywall, payment: PaymentRecord) {
  const { nonce } = await refundTransferOf(paywall, payment)
  return { store: paywall.store, clock: paywall.clock, nonce }
}

/** Moves time forward, here and on the chain. */
async function pass(paywall: TestPaywall, seconds: number): Promise<void> {
  paywall.passSeconds(seconds)
  await devnet.increaseTime(seconds)
  await devnet.mine(1)
}

async function soldToBlacklisted(paywall: TestPaywall): Promise<PaymentRecord> {
  const payment = await sell(paywall, payer(0), 4_000n)
  await devnet.blacklist(payer(0).address)
  await runRefunds(paywall)
  expect(await refundTransferOf(paywall, payment)).toMatchObject({ reason: 'blacklisted_payee' })
  return payment
}

const noticesOf = (paywall: TestPaywall, type: string) =>
  paywall.notices.filter((notice) => notice.type === type)

test('a refund is written off only when no signature over it is valid any more', async () => {
  const paywall = open({ policy: validity })
  const payment = await soldToBlacklisted(paywall)
  const accepted = await writeOffRefund(await decisionOn(paywall, payment))
  expect(accepted).toMatchObject({ status: 'accepted', transfer: { status: 'blocked' } })
  await paywall.refunds.runOnce()
  expect((await reload(paywall, payment)).refund).toMatchObject({ status: 'blocked' })

  // Expired by our clock alone: a block of the chain may still include it.
  paywall.passSeconds(hour + 700)
  await paywall.refunds.runOnce()
  expect((await reload(paywall, payment)).refund).toMatchObject({ status: 'blocked' })

  await devnet.increaseTime(hour + 700)
  await devnet.mine(1)
  paywall.passSeconds(61)
  await paywall.refunds.runOnce()
  expect((await reload(paywall, payment)).refund).toMatchObject({ status: 'written_off' })
  expect(noticesOf(paywall, 'refund_written_off')).toMatchObject([
    { reason: 'write_off_requested' },
  ])
  const { explained } = await auditTestPaywall(paywall)
  expect(explained).toMatchObject([{ kind: 'written_off', amount: 6_000n }])
  expect(await balance(0)).toBe(funds - price)
})

test('a refund that was written off is paid after all when its operator retries it', async () => {
  const paywall = open({ policy: validity })
  const payment = await soldToBlacklisted(paywall)
  const decision = await decisionOn(paywall, payment)
  await writeOffRefund(decision)
  await pass(paywall, hour + 700)
  await paywall.refunds.runOnce()
  expect((await reload(paywall, payment)).refund).toMatchObject({ status: 'written_off' })

  await devnet.unBlacklist(payer(0).address)
  expect(await retryRefund(decision)).toMatchObject({ status: 'accepted' })
  await finishRefunds(paywall)
  expect((await reload(paywall, payment)).refund).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
  expect((await auditTestPaywall(paywall)).explained).toEqual([])
})

test('a refund that is retried before it was written off is paid', async () => {
  const paywall = open({ policy: validity })
  const payment = await soldToBlacklisted(paywall)
  const decision = await decisionOn(paywall, payment)
  await writeOffRefund(decision)
  await devnet.unBlacklist(payer(0).address)
  await retryRefund(decision)
  await finishRefunds(paywall)
  expect(await balance(0)).toBe(funds - 4_000n)
  expect(noticesOf(paywall, 'refund_written_off')).toEqual([])
})

test('a refund that is delivered after its write-off was requested is booked, not written off', async () => {
  const paywall = open({ policy: validity })
  const payment = await soldToBlacklisted(paywall)
  await writeOffRefund(await decisionOn(paywall, payment))
  const { nonce, signature, validBefore } = await refundTransferOf(paywall, payment)
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
  await pass(paywall, hour + 700)
  await finishRefunds(paywall)
  expect((await reload(paywall, payment)).refund).toMatchObject({ status: 'confirmed' })
  expect(await balance(0)).toBe(funds - 4_000n)
})

test('a batched refund of which one payment is lost for good waits until its operator writes it off', async () => {
  const paywall = open({ refundMinimum: 5_000n, policy: validity })
  const kept = await sell(paywall, payer(0), 7_000n)
  const lost = await sell(paywall, payer(0), 7_500n)
  await devnet.pause()
  await paywall.refunds.runOnce()
  expect((await reload(paywall, kept)).refund).toMatchObject({ status: 'due' })
  // Two blocks: the token's pause, and the settlement before it.
  await devnet.reorg(2)
  await pass(paywall, 400)
  await paywall.recovery.runOnce()
  await paywall.recovery.runOnce()
  expect(await reload(paywall, lost)).toMatchObject({ settlement: null, reason: 'settlement_lost' })
  paywall.passSeconds(60)
  await paywall.refunds.runOnce()
  paywall.passSeconds(day)
  await paywall.refunds.runOnce()
  expect(await refundTransferOf(paywall, kept)).toMatchObject({
    status: 'blocked',
    reason: 'settlement_lost',
  })

  expect(await writeOffRefund(await decisionOn(paywall, kept))).toMatchObject({
    status: 'accepted',
  })
  await pass(paywall, day)
  await paywall.refunds.runOnce()
  expect((await reload(paywall, kept)).refund).toMatchObject({ status: 'written_off' })
  expect((await reload(paywall, lost)).refund).toMatchObject({ status: 'written_off' })
  const { explained } = await auditTestPaywall(paywall)
  expect(explained.map(({ kind }) => kind).toSorted()).toEqual(['absorbed_loss', 'written_off'])
})

test('a refund that is deliverable, already sent or unknown cannot be written off', async () => {
  const paywall = open({ policy: { maxRefund: usdc(5_000n) } })
  const capped = await sell(paywall, payer(0), 0n)
  const paid = await sell(paywall, payer(1), 9_000n)
  await runRefunds(paywall)
  expect(await writeOffRefund(await decisionOn(paywall, capped))).toMatchObject({
    status: 'deliverable',
    transfer: { reason: 'refund_cap' },
  })
  const done = await decisionOn(paywall, paid)
  expect(await writeOffRefund(done)).toMatchObject({ status: 'not_blocked' })
  expect(await retryRefund(done)).toMatchObject({ status: 'not_blocked' })
  const unknown = { ...done, nonce: `0x${'0'.repeat(64)}` } as const
  expect(await writeOffRefund(unknown)).toEqual({ status: 'not_found' })
})

test('a refund that stays blocked for a week is reported every day from then on', async () => {
  const paywall = open()
  await soldToBlacklisted(paywall)
  for (let looks = 0; looks < 6; looks += 1) {
    paywall.passSeconds(day + 1)
    await paywall.refunds.runOnce()
  }
  expect(noticesOf(paywall, 'refund_overdue')).toEqual([])
  for (let looks = 0; looks < 3; looks += 1) {
    paywall.passSeconds(day + 1)
    await paywall.refunds.runOnce()
  }
  expect(noticesOf(paywall, 'refund_overdue')).toHaveLength(3)
  expect(noticesOf(paywall, 'refund_blocked')).toHaveLength(1)
})
