import { atomicUsdc } from '@farebox/money'
import type { LedgerStore, PendingRefunds, RefundTransferEvent } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'
import {
  completed,
  exportedRefunds,
  faultsOf,
  hex,
  live,
  liveRefund,
  newPayment,
  owing,
  paymentOf,
  proof,
  refundNonce,
  refundTransferOf,
  start,
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
const accrue = { kind: 'accrue' } as const

/** A refund leaves once, by the nonce and the amount that were frozen; its payments follow it. */
export const refundTransferCases: readonly ConformanceCase[] = [
  {
    name: 'a refund transfer takes its payment along, from waiting to final',
    run: async ({ store, other }, expect) => {
      const { payment, transfer } = await owing(store, 1)
      const sent = await liveRefund(store, transfer, [signed, submitted])
      expect(sent.attempts).toBe(1)
      expect(sent.signedAt).toBe(start + 4_000)
      expect((await paymentOf(other, payment)).refund).toEqual({
        amount: atomicUsdc(600n),
        status: 'submitted',
        nonce: refundNonce(1),
        transaction: hex(0x5e4d, 32),
      })
      expect(await faultsOf(store)).toEqual([])
      const final = await liveRefund(store, sent, [confirmed, { type: 'final', at: start + 8_000 }])
      expect(await other.loadRefund(refundNonce(1))).toEqual(final)
      const refund = (await paymentOf(other, payment)).refund
      expect(refund?.status).toBe('confirmed')
      expect(refund?.transaction).toBe(proof(900).transaction)
      expect(await faultsOf(store)).toEqual([])
      const due = { owner: 'a', now: start + 9e9, until: start + 9e9, limit: 9 }
      expect(await store.leaseRefunds(due)).toEqual([])
    },
  },
  {
    name: 'of two events on one version of a refund transfer the second finds a conflict',
    run: async ({ store, other }, expect) => {
      const { transfer } = await owing(store, 1)
      const outcomes = await Promise.all([
        store.applyToRefund(transfer, signed),
        other.applyToRefund(transfer, signed),
      ])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['applied', 'conflict'])
      expect(outcomes.map((outcome) => outcome.refundTransfer.version)).toEqual([2, 2])
    },
  },
  {
    name: 'a refund that vanished is booked back and sent again under the same nonce',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await owing(store, 1)
      const lost = { type: 'lost', at: start + 7_000 } as const
      const again = await liveRefund(store, transfer, [signed, submitted, confirmed, lost])
      expect([again.status, again.signature, again.proof]).toEqual(['waiting', null, null])
      expect((await paymentOf(store, payment)).refund?.status).toBe('due')
      expect(await faultsOf(store)).toEqual([])
      await liveRefund(store, again, [signed, submitted, confirmed])
      expect(await faultsOf(store)).toEqual([])
    },
  },
  {
    name: 'a transfer that the chain shows is booked whatever we knew of it',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await owing(store, 1)
      await liveRefund(store, transfer, [confirmed])
      expect((await paymentOf(store, payment)).refund?.status).toBe('confirmed')
      expect(await faultsOf(store)).toEqual([])
    },
  },
  {
    name: 'a blocked refund transfer waits its time, gives its lease back, and is sent once unblocked',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await owing(store, 1)
      const lease = { owner: 'a', now: start + 5_000, until: start + 900_000, limit: 9 }
      await store.leaseRefunds(lease)
      const set = await liveRefund(store, transfer, [blocked])
      expect([set.status, set.reason, set.lease]).toEqual(['blocked', 'blacklisted_payee', null])
      expect((await paymentOf(store, payment)).refund?.status).toBe('blocked')
      expect(await store.leaseRefunds({ ...lease, now: start + 69_999 })).toEqual([])
      const [due] = await store.leaseRefunds({ ...lease, now: start + 70_000 })
      expect(due?.attempts).toBe(1)
      const probed = await liveRefund(store, set, [blocked])
      expect(probed.attempts).toBe(2)
      const free = await liveRefund(store, probed, [{ type: 'unblocked', at: start + 80_000 }])
      expect([free.status, free.attempts, free.reason]).toEqual(['waiting', 0, null])
      expect((await paymentOf(store, payment)).refund?.status).toBe('due')
      expect(await faultsOf(store)).toEqual([])
    },
  },
  {
    name: 'only a blocked refund transfer that no signature can move any more is written off',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await owing(store, 1)
      const set = await liveRefund(store, transfer, [signed, blocked])
      const early = { type: 'written_off', at: start + 3_600_000 } as const
      await expect(store.applyToRefund(set, early)).rejects.toMatchObject({
        code: 'invalid_transition',
      })
      await liveRefund(store, set, [{ type: 'written_off', at: start + 3_600_001 }])
      expect((await paymentOf(store, payment)).refund?.status).toBe('written_off')
      expect(await faultsOf(store)).toEqual([])
    },
  },
  {
    name: 'what was written off is owed again, and paid, once somebody says so',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await owing(store, 1)
      const gone = { type: 'written_off', at: start + 5_000 } as const
      const set = await liveRefund(store, transfer, [blocked, gone])
      expect(await owedIn(store)).toEqual([0n, 0n])
      const again = await liveRefund(store, set, [{ type: 'unblocked', at: start + 6_000 }])
      expect(again.status).toBe('waiting')
      expect((await paymentOf(store, payment)).refund?.status).toBe('due')
      expect(await owedIn(store)).toEqual([600n, 600n])
      await liveRefund(store, again, [signed, submitted, confirmed])
      expect((await paymentOf(store, payment)).refund?.status).toBe('confirmed')
      expect(await faultsOf(store)).toEqual([])
    },
  },
  {
    name: 'a refund whose settlement vanished is not signed',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await owing(store, 1)
      await live(store, payment, [{ type: 'settlement_lost', at: start + 4_000 }])
      await expect(store.applyToRefund(transfer, signed)).rejects.toMatchObject({
        code: 'invalid_transition',
      })
      expect(await refundTransferOf(store, transfer.nonce)).toEqual(transfer)
    },
  },
  {
    name: 'accruing refunds of one payer merge into one refund transfer',
    run: async ({ store, other }, expect) => {
      const pending = await accrued(store, [1, 2, 3])
      expect(pending.payments.map(({ createdAt }) => createdAt - start)).toEqual([1, 2, 3])
      expect(pending.sequence).toBe(0)
      const merged = await other.batchSmallRefunds(pending, {
        nonce: refundNonce(77),
        at: start + 9_000,
      })
      expect(merged.status).toBe('applied')
      const transfer = await refundTransferOf(store, refundNonce(77))
      expect(transfer.amount).toBe(2_400n)
      expect(transfer.payments).toEqual(pending.payments.map(({ id }) => id))
      expect(transfer.sequence).toBe(0)
      expect(await store.pendingSmallRefunds(9)).toEqual([])
      await liveRefund(store, transfer, [signed, submitted, confirmed])
      for (const payment of pending.payments) {
        expect((await paymentOf(store, payment)).refund?.status).toBe('confirmed')
      }
      expect(await faultsOf(store)).toEqual([])
      expect((await accrued(store, [4])).sequence).toBe(1)
    },
  },
  {
    name: 'a refund is merged once; a nonce is used once',
    run: async ({ store, other }, expect) => {
      const pending = await accrued(store, [1, 2])
      const nonces = [refundNonce(77), refundNonce(78)]
      const outcomes = await Promise.all(
        nonces.map((nonce, index) =>
          (index === 0 ? store : other).batchSmallRefunds(pending, { nonce, at: start + 9_000 }),
        ),
      )
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['applied', 'gone'])
      const [transfer] = await exportedRefunds(store)
      const next = await accrued(store, [3])
      const used = transfer?.nonce ?? refundNonce(0)
      const again = await store.batchSmallRefunds(next, { nonce: used, at: start + 9_500 })
      expect(again).toEqual({ status: 'conflict', refundTransfer: transfer })
      expect(await faultsOf(store)).toEqual([])
    },
  },
  {
    name: 'a sequence that is not the next is not merged',
    run: async ({ store }, expect) => {
      const pending = await accrued(store, [1])
      const merge = { nonce: refundNonce(77), at: start + 9_000 }
      const ahead = { ...pending, sequence: pending.sequence + 1 }
      expect(await store.batchSmallRefunds(ahead, merge)).toEqual({ status: 'gone' })
      expect((await store.batchSmallRefunds(pending, merge)).status).toBe('applied')
    },
  },
  {
    name: 'payers with accruing refunds come oldest first, without money that vanished',
    run: async ({ store }, expect) => {
      const lost = await completed(store, 1, { cost: 1n, refund: accrue })
      for (const number of [3, 2]) await completed(store, number, { cost: 1n, refund: accrue })
      await live(store, lost, [{ type: 'settlement_lost', at: start + 9_000 }])
      const payers = (await store.pendingSmallRefunds(9)).map(({ payer }) => payer)
      expect(payers).toEqual([2, 3].map((number) => newPayment(number).authorization.from))
      expect((await store.pendingSmallRefunds(1)).map(({ payer }) => payer)).toEqual(
        payers.slice(0, 1),
      )
    },
  },
  {
    name: 'totals count what was paid, what was signed and what is owed',
    run: async ({ store }, expect) => {
      const { transfer } = await owing(store, 1)
      await owing(store, 2)
      await completed(store, 3, { cost: 900n, refund: accrue })
      expect(await store.refundTotals(start + 2)).toEqual({
        paid: 2_000n,
        refunded: 0n,
        outstanding: 1_300n,
        unsent: 1_300n,
      })
      const sent = await liveRefund(store, transfer, [signed])
      expect(await owedIn(store)).toEqual([1_300n, 700n])
      const seen = await liveRefund(store, sent, [submitted])
      expect(await owedIn(store)).toEqual([1_300n, 700n])
      await liveRefund(store, seen, [confirmed])
      expect(await store.refundTotals(start)).toEqual({
        paid: 3_000n,
        refunded: 600n,
        outstanding: 700n,
        unsent: 700n,
      })
      expect((await store.refundTotals(start + 4_001)).refunded).toBe(0n)
    },
  },
]

/** What is owed, and what of it has not been signed. */
async function owedIn(store: LedgerStore): Promise<readonly bigint[]> {
  const { outstanding, unsent } = await store.refundTotals(start)
  return [outstanding, unsent]
}

/** Accruing refunds of 800 units each that belong to the payer of payment 1. */
async function accrued(store: LedgerStore, numbers: readonly number[]): Promise<PendingRefunds> {
  const { from } = newPayment(1).authorization
  for (const number of numbers) {
    const { authorization } = newPayment(number)
    const claim = await store.claim(
      newPayment(number, { authorization: { ...authorization, from } }),
    )
    await live(store, claim.payment, [
      { type: 'settlement_proven', proof: proof(number), at: start },
      { type: 'service_started', at: start },
      {
        type: 'service_completed',
        cost: atomicUsdc(200n),
        usage: null,
        refund: accrue,
        at: start,
      },
    ])
  }
  const [pending] = await store.pendingSmallRefunds(9)
  if (pending === undefined) throw new Error('nothing accrues')
  return pending
}
