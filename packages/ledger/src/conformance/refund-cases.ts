import { atomicUsdc } from '@farebox/money'
import type { LedgerStore, PendingRefunds, RefundTransferEvent } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'
import {
  applyEvents,
  applyRefundEvents,
  bookErrors,
  completed,
  hex,
  listed,
  newPayment,
  paymentOf,
  proof,
  refundNonce,
  refundTransferOf,
  start,
  withRefundDue,
} from './fixtures.ts'

const signed: RefundTransferEvent = {
  type: 'signed',
  signature: '0xabcdef',
  validBefore: start / 1000 + 3_600,
  at: start + 4_000,
}
const submitted: RefundTransferEvent = {
  type: 'submitted',
  transaction: hex(0x5e4d, 32),
  at: start + 5_000,
}
const confirmed: RefundTransferEvent = {
  type: 'confirmed',
  proof: proof(900, 120),
  at: start + 6_000,
}
const blocked: RefundTransferEvent = {
  type: 'blocked',
  reason: 'blacklisted_payee',
  nextAttemptAt: start + 70_000,
  at: start + 7_000,
}
const smallRefund = { kind: 'batch' } as const

/** A refund is sent once, with a fixed nonce and amount, and its payments follow its state. */
export const refundTransferCases: readonly ConformanceCase[] = [
  {
    name: 'a payment follows its refund transfer from waiting to final',
    run: async ({ store, other }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      const sent = await applyRefundEvents(store, transfer, [signed, submitted])
      expect(sent.attempts).toBe(1)
      expect(sent.signedAt).toBe(start + 4_000)
      expect((await paymentOf(other, payment)).refund).toEqual({
        amount: atomicUsdc(600n),
        status: 'submitted',
        nonce: refundNonce(1),
        transaction: hex(0x5e4d, 32),
      })
      expect(await bookErrors(store)).toEqual([])
      const final = await applyRefundEvents(store, sent, [
        confirmed,
        { type: 'final', at: start + 8_000 },
      ])
      expect(await other.loadRefund(refundNonce(1))).toEqual(final)
      const refund = (await paymentOf(other, payment)).refund
      expect(refund?.status).toBe('confirmed')
      expect(refund?.transaction).toBe(proof(900).transaction)
      expect(await bookErrors(store)).toEqual([])
      const due = { owner: 'a', now: start + 9e9, until: start + 9e9, limit: 9 }
      expect(await store.leaseRefunds(due)).toEqual([])
    },
  },
  {
    name: 'payments that the caller knows are read again if one has changed',
    run: async ({ store, other }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      const { transfer: next } = await store.applyToRefund(transfer, signed, [payment])
      const leased = await other.lease(payment.id, { owner: 'a', until: start + 9e6, now: start })
      const { transfer: sent } = await store.applyToRefund(next, submitted, [payment])
      const current = await paymentOf(other, payment)
      expect([current.refund?.status, current.lease]).toEqual(['submitted', leased?.lease])
      const outcome = await store.applyToRefund(sent, confirmed, [payment])
      expect(outcome.status).toBe('applied')
      expect((await paymentOf(other, payment)).refund?.status).toBe('confirmed')
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'the terms of refund transfers are found by their nonces, in any case of the digits',
    run: async ({ store, other }, expect) => {
      const { transfer } = await withRefundDue(store, 1)
      const { nonce, payer, amount } = transfer
      const inCapitals: `0x${string}` = `0x${nonce.slice(2).toUpperCase()}`
      const terms = await other.refundTerms([refundNonce(2), inCapitals])
      expect(terms).toEqual([{ nonce, payer, amount }])
    },
  },
  {
    name: 'of two events on one version of a refund transfer, the second is a conflict',
    run: async ({ store, other }, expect) => {
      const { transfer } = await withRefundDue(store, 1)
      const outcomes = await Promise.all([
        store.applyToRefund(transfer, signed),
        other.applyToRefund(transfer, signed),
      ])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['applied', 'conflict'])
      expect(outcomes.map((outcome) => outcome.transfer.version)).toEqual([2, 2])
    },
  },
  {
    name: 'a refund that vanished is reversed in the books and sent again with the same nonce',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      const lost = { type: 'lost', at: start + 7_000 } as const
      const again = await applyRefundEvents(store, transfer, [signed, submitted, confirmed, lost])
      expect([again.status, again.signature, again.proof]).toEqual(['waiting', null, null])
      expect((await paymentOf(store, payment)).refund?.status).toBe('due')
      expect(await bookErrors(store)).toEqual([])
      await applyRefundEvents(store, again, [signed, submitted, confirmed])
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a confirmed transfer is booked even if it was never signed in the ledger',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      await applyRefundEvents(store, transfer, [confirmed])
      expect((await paymentOf(store, payment)).refund?.status).toBe('confirmed')
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a blocked refund transfer releases its lease, waits, and is due again once unblocked',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      const lease = { owner: 'a', now: start + 5_000, until: start + 900_000, limit: 9 }
      await store.leaseRefunds(lease)
      const parked = await applyRefundEvents(store, transfer, [blocked])
      expect([parked.status, parked.reason, parked.lease]).toEqual([
        'blocked',
        'blacklisted_payee',
        null,
      ])
      expect((await paymentOf(store, payment)).refund?.status).toBe('blocked')
      expect(await store.leaseRefunds({ ...lease, now: start + 69_999 })).toEqual([])
      const [due] = await store.leaseRefunds({ ...lease, now: start + 70_000 })
      expect(due?.attempts).toBe(1)
      const probed = await applyRefundEvents(store, parked, [blocked])
      expect(probed.attempts).toBe(2)
      const unblocked = await applyRefundEvents(store, probed, [
        { type: 'unblocked', at: start + 80_000 },
      ])
      expect([unblocked.status, unblocked.attempts, unblocked.reason]).toEqual(['waiting', 0, null])
      expect((await paymentOf(store, payment)).refund?.status).toBe('due')
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a refund transfer can be written off only if it is blocked and its signature expired',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      const parked = await applyRefundEvents(store, transfer, [signed, blocked])
      const early = { type: 'written_off', at: start + 3_600_000 } as const
      await expect(store.applyToRefund(parked, early)).rejects.toMatchObject({
        code: 'invalid_transition',
      })
      await applyRefundEvents(store, parked, [{ type: 'written_off', at: start + 3_600_001 }])
      expect((await paymentOf(store, payment)).refund?.status).toBe('written_off')
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a refund that was written off can be unblocked and paid',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      const gone = { type: 'written_off', at: start + 5_000 } as const
      const parked = await applyRefundEvents(store, transfer, [blocked, gone])
      expect(await owedTotals(store)).toEqual([0n, 0n])
      const again = await applyRefundEvents(store, parked, [
        { type: 'unblocked', at: start + 6_000 },
      ])
      expect(again.status).toBe('waiting')
      expect((await paymentOf(store, payment)).refund?.status).toBe('due')
      expect(await owedTotals(store)).toEqual([600n, 600n])
      await applyRefundEvents(store, again, [signed, submitted, confirmed])
      expect((await paymentOf(store, payment)).refund?.status).toBe('confirmed')
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a refund cannot be signed after its settlement vanished',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      await applyEvents(store, payment, [{ type: 'settlement_lost', at: start + 4_000 }])
      await expect(store.applyToRefund(transfer, signed)).rejects.toMatchObject({
        code: 'invalid_transition',
      })
      expect(await refundTransferOf(store, transfer.nonce)).toEqual(transfer)
    },
  },
  {
    name: 'small refunds of one payer are batched into one refund transfer',
    run: async ({ store, other }, expect) => {
      const pending = await pendingAfter(store, [1, 2, 3])
      expect(pending.payments.map(({ createdAt }) => createdAt - start)).toEqual([1, 2, 3])
      expect(await other.pendingRefundsOf(pending)).toEqual(pending)
      expect(pending.sequence).toBe(0)
      const batched = await other.batchSmallRefunds(pending, {
        nonce: refundNonce(77),
        at: start + 9_000,
      })
      expect(batched.status).toBe('applied')
      const transfer = await refundTransferOf(store, refundNonce(77))
      expect(transfer.amount).toBe(2_400n)
      expect(transfer.payments).toEqual(pending.payments.map(({ id }) => id))
      expect(transfer.sequence).toBe(0)
      expect(await store.smallRefundsDue(all)).toEqual([])
      const { payer, chainId, asset } = pending
      const left = await store.pendingRefundsOf({ payer, chainId, asset })
      expect(left).toEqual({ payer, chainId, asset, payments: [], sequence: 1 })
      await applyRefundEvents(store, transfer, [signed, submitted, confirmed])
      for (const payment of pending.payments) {
        expect((await paymentOf(store, payment)).refund?.status).toBe('confirmed')
      }
      expect(await bookErrors(store)).toEqual([])
      expect((await pendingAfter(store, [4])).sequence).toBe(1)
    },
  },
  {
    name: 'a small refund is batched once, and a nonce is used once',
    run: async ({ store, other }, expect) => {
      const pending = await pendingAfter(store, [1, 2])
      const nonces = [refundNonce(77), refundNonce(78)]
      const outcomes = await Promise.all(
        nonces.map((nonce, index) =>
          (index === 0 ? store : other).batchSmallRefunds(pending, { nonce, at: start + 9_000 }),
        ),
      )
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['applied', 'gone'])
      const [transfer] = await listed(store.exportRefunds())
      const next = await pendingAfter(store, [3])
      const used = transfer?.nonce ?? refundNonce(0)
      const again = await store.batchSmallRefunds(next, { nonce: used, at: start + 9_500 })
      expect(again).toEqual({ status: 'conflict', transfer })
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a batch with the wrong sequence is not created',
    run: async ({ store }, expect) => {
      const pending = await pendingAfter(store, [1])
      const batch = { nonce: refundNonce(77), at: start + 9_000 }
      const ahead = { ...pending, sequence: pending.sequence + 1 }
      expect(await store.batchSmallRefunds(ahead, batch)).toEqual({ status: 'gone' })
      expect((await store.batchSmallRefunds(pending, batch)).status).toBe('applied')
    },
  },
  {
    name: 'payers with small refunds are listed oldest first, without vanished settlements',
    run: async ({ store }, expect) => {
      const lost = await completed(store, 1, { cost: 1n, refund: smallRefund })
      for (const number of [3, 2]) await completed(store, number, { cost: 1n, refund: smallRefund })
      await applyEvents(store, lost, [{ type: 'settlement_lost', at: start + 9_000 }])
      const payers = (await store.smallRefundsDue(all)).map(({ payer }) => payer)
      expect(payers).toEqual([2, 3].map((number) => newPayment(number).authorization.from))
      expect((await store.smallRefundsDue({ ...all, limit: 1 })).map(({ payer }) => payer)).toEqual(
        payers.slice(0, 1),
      )
    },
  },
  {
    name: 'small refunds are due by the age of the oldest or by their sum',
    run: async ({ store }, expect) => {
      const first = await pendingAfter(store, [1, 2])
      const other = await completed(store, 3, { cost: 400n, refund: smallRefund })
      const payersDue = async (search: { createdUntil: number; least: bigint }) => {
        const due = await store.smallRefundsDue({ ...search, limit: 9 })
        const pending = await Promise.all(due.map((payer) => store.pendingRefundsOf(payer)))
        return pending.map(({ payer, payments }) => [payer, payments.length])
      }
      const [two, one] = [
        [first.payer, 2],
        [other.authorization.from, 1],
      ]
      expect(await payersDue({ createdUntil: start, least: 1_601n })).toEqual([])
      expect(await payersDue({ createdUntil: start, least: 1_600n })).toEqual([two])
      expect(await payersDue({ createdUntil: start + 1, least: 1_601n })).toEqual([two])
      expect(await payersDue({ createdUntil: start + 3, least: 1_601n })).toEqual([two, one])
      expect(await payersDue({ createdUntil: start, least: 600n })).toEqual([two, one])
    },
  },
  {
    name: 'sums of refunds add up what was signed since then, and what is owed and was not',
    run: async ({ store }, expect) => {
      const { transfer } = await withRefundDue(store, 1)
      await withRefundDue(store, 2)
      await completed(store, 3, { cost: 900n, refund: smallRefund })
      expect(await store.refundedSince(start)).toBe(0n)
      expect(await owedTotals(store)).toEqual([1_300n, 1_300n])
      const sent = await applyRefundEvents(store, transfer, [signed])
      expect(await owedTotals(store)).toEqual([1_300n, 700n])
      expect(await store.refundedSince(start)).toBe(600n)
      const seen = await applyRefundEvents(store, sent, [submitted])
      expect(await owedTotals(store)).toEqual([1_300n, 700n])
      await applyRefundEvents(store, seen, [confirmed])
      expect(await owedTotals(store)).toEqual([700n, 700n])
      expect(await store.refundedSince(start)).toBe(600n)
      expect(await store.refundedSince(start + 4_001)).toBe(0n)
    },
  },
]

/** Refunds that have not arrived, and the part of them that was never signed. */
async function owedTotals(store: LedgerStore): Promise<readonly bigint[]> {
  const { refundsPayable, payerCredit } = await store.owed()
  return [refundsPayable + payerCredit, await store.unsentRefunds()]
}

/** Whatever their age and sum. */
const all = { createdUntil: 0, least: 0n, limit: 9 }

/** Small refunds of 800 units each, all owed to the payer of payment 1. */
async function pendingAfter(
  store: LedgerStore,
  numbers: readonly number[],
): Promise<PendingRefunds> {
  const { from } = newPayment(1).authorization
  for (const number of numbers) {
    const { authorization } = newPayment(number)
    const claim = await store.claim(
      newPayment(number, { authorization: { ...authorization, from } }),
    )
    await applyEvents(store, claim.payment, [
      { type: 'settlement_proven', proof: proof(number), at: start },
      { type: 'service_started', at: start },
      {
        type: 'service_completed',
        cost: atomicUsdc(200n),
        usage: null,
        refund: smallRefund,
        at: start,
      },
    ])
  }
  const [payer] = await store.smallRefundsDue(all)
  if (payer === undefined) throw new Error('there are no pending refunds')
  return await store.pendingRefundsOf(payer)
}
