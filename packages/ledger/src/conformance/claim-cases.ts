import { atomicUsdc } from '@farebox/money'
import type { PaymentEvent } from '../payment/payment-event.ts'
import type { NewPayment } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'
import {
  applyEvents,
  applyRefundEvents,
  bookErrors,
  claimed,
  hex,
  newPayment,
  proof,
  refundNonce,
  refundTransferOf,
  settled,
  start,
} from './fixtures.ts'

/** An authorization can be claimed once, in any case of its digits and from any process. */
export const claimCases: readonly ConformanceCase[] = [
  {
    name: 'a payment whose service overlaps with its settlement is served by its proof, or is never served',
    run: async ({ store, other }, expect) => {
      const claims = [1, 2].map((number) => newPayment(number, { isOverlapping: true }))
      const [first, second] = await Promise.all(claims.map((claim) => store.claim(claim)))
      if (first === undefined || second === undefined) throw new Error('two claims')
      expect(await other.load(first.payment.id)).toEqual(first.payment)
      const at = start + 1_000
      const begun = await store.apply(first.payment, {
        type: 'settlement_proven',
        proof: proof(1),
        begins: true,
        at,
      })
      expect([begun.payment.status, begun.payment.reason]).toEqual(['serving', null])
      const unknown = { type: 'settlement_unknown', reason: 'timeout', hint: null, at } as const
      const found = await applyEvents(store, second.payment, [
        unknown,
        { type: 'settlement_proven', proof: proof(2), at },
      ])
      expect([found.status, found.reason]).toEqual(['settled', 'service_ahead'])
      await expect(store.apply(found, { type: 'service_started', at })).rejects.toMatchObject({
        code: 'invalid_transition',
      })
      expect(await bookErrors(store)).toEqual([])
    },
  },
  {
    name: 'a claim returns the stored record',
    run: async ({ store, other }, expect) => {
      const payment = newPayment(1, {
        clientPaymentId: 'client-1',
        lease: { owner: 'a', until: 9 },
      })
      const outcome = await store.claim(payment)
      expect(outcome.status).toBe('claimed')
      expect(outcome.payment).toEqual({
        ...payment,
        version: 1,
        status: 'settling',
        settlementHint: null,
        settlement: null,
        settlementFinal: false,
        cost: null,
        usage: null,
        providerCost: null,
        refund: null,
        reason: null,
        updatedAt: payment.createdAt,
      })
      expect(await other.load(payment.id)).toEqual(outcome.payment)
      expect(await other.findByAuthorization(payment.authorization)).toEqual(outcome.payment)
      expect(await other.findByClientPaymentId('client-1')).toEqual(outcome.payment)
    },
  },
  {
    name: 'an unknown payment is undefined',
    run: async ({ store }, expect) => {
      const { id, authorization } = newPayment(1)
      expect(await store.load(id)).toBe(undefined)
      expect(await store.findByAuthorization(authorization)).toBe(undefined)
      expect(await store.findByClientPaymentId('unknown')).toBe(undefined)
    },
  },
  {
    name: 'of 50 concurrent claims of one authorization, one succeeds and the others return its payment',
    run: async ({ store, other }, expect) => {
      const { authorization } = newPayment(0)
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, number) =>
          (number % 2 === 0 ? store : other).claim(newPayment(number, { authorization })),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'claimed').length).toBe(1)
      expect(new Set(outcomes.map(({ payment }) => payment.id)).size).toBe(1)
    },
  },
  {
    name: 'upper and lower case identify the same authorization',
    run: async ({ store }, expect) => {
      const { payment } = await store.claim(newPayment(1))
      const { authorization } = newPayment(1)
      const upperCased = {
        ...authorization,
        asset: upperCase(authorization.asset),
        from: upperCase(authorization.from),
        nonce: upperCase(authorization.nonce),
      }
      const again = await store.claim(newPayment(2, { authorization: upperCased }))
      expect(again).toEqual({ status: 'taken', payment })
      expect(await store.findByAuthorization(upperCased)).toEqual(payment)
      const strange = newPayment(3).authorization
      const claim = { reason: null }
      expect(await store.claimsOf([authorization, strange, upperCased])).toEqual([
        claim,
        undefined,
        claim,
      ])
    },
  },
  {
    name: 'another chain, asset, payer or nonce identifies another authorization',
    run: async ({ store }, expect) => {
      const { authorization } = newPayment(1)
      const others = [
        authorization,
        { ...authorization, chainId: 8453 },
        { ...authorization, asset: hex(1, 20) },
        { ...authorization, from: hex(1, 20) },
        { ...authorization, nonce: hex(1, 32) },
      ]
      const outcomes = await Promise.all(
        others.map((changed, index) => store.claim(newPayment(index, { authorization: changed }))),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(others.map(() => 'claimed'))
    },
  },
  {
    name: 'an invalid claim is rejected',
    run: async ({ store }, expect) => {
      const { authorization } = newPayment(1)
      const claims = [
        newPayment(1, { authorization: { ...authorization, nonce: '0x12' } }),
        newPayment(1, { authorization: { ...authorization, from: hex(1, 32) } }),
        newPayment(1, { authorization: { ...authorization, value: atomicUsdc(0n) } }),
        newPayment(1, { authorization: { ...authorization, to: undefined as never } }),
        newPayment(1, { kind: undefined as never }),
        newPayment(1, { authorization: undefined as never }),
        newPayment(1, { authorization: null as never }),
      ]
      for (const claim of claims) {
        await expect(store.claim(claim)).rejects.toMatchObject({ code: 'invalid_payment' })
      }
      await store.claim(newPayment(1))
      const { id } = newPayment(1)
      await expect(store.claim(newPayment(2, { id }))).rejects.toMatchObject({
        code: 'duplicate_id',
      })
    },
  },
  {
    name: "a client's payment identifier is claimed once, and can be used again after a rejection",
    run: async ({ store, other }, expect) => {
      const clientPaymentId = 'client-payment-7'
      const first = await claimed(store, 1, { clientPaymentId })
      const taken = await other.claim(newPayment(2, { clientPaymentId }))
      expect(taken).toEqual({ status: 'taken', payment: first })
      await applyEvents(store, first, [
        { type: 'settlement_rejected', reason: 'insufficient_funds', at: start + 1 },
      ])
      expect((await other.claim(newPayment(3, { clientPaymentId }))).status).toBe('claimed')
    },
  },
  {
    name: "a payer's payments in flight never exceed its balance",
    run: async ({ store, other }, expect) => {
      expect((await store.claimWithin(ofPayer(1, 1_000n), 2_999n)).status).toBe('claimed')
      expect((await other.claimWithin(ofPayer(2, 1_000n), 2_999n)).status).toBe('claimed')
      expect(await store.claimWithin(ofPayer(3, 1_000n), 2_999n)).toEqual({
        status: 'beyond_balance',
      })
      expect(await other.load(newPayment(3).id)).toBe(undefined)
      expect((await other.claimWithin(ofPayer(3, 1_000n), 3_000n)).status).toBe('claimed')
      expect((await store.claimWithin(newPayment(4), 1_000n)).status).toBe('claimed')
    },
  },
  {
    name: 'of 20 concurrent claims of a payer, those are stored that its balance covers',
    run: async ({ store, other }, expect) => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, number) =>
          (number % 2 === 0 ? store : other).claimWithin(ofPayer(number, 1_000n), 3_500n),
        ),
      )
      expect(outcomes.filter(({ status }) => status === 'claimed').length).toBe(3)
    },
  },
  {
    name: 'a copy of a claim is taken, whatever the balance is',
    run: async ({ store, other }, expect) => {
      const clientPaymentId = 'client-payment-8'
      const payment = { ...ofPayer(1, 1_000n), clientPaymentId }
      const first = await store.claimWithin(payment, 1_000n)
      const copy = { ...payment, id: newPayment(2).id }
      expect(await other.claimWithin(copy, 0n)).toEqual({ ...first, status: 'taken' })
      const named = { ...ofPayer(3, 1_000n), clientPaymentId }
      expect(await other.claimWithin(named, 0n)).toEqual({ ...first, status: 'taken' })
      const sameId = other.claimWithin({ ...ofPayer(4, 1_000n), id: payment.id }, 0n)
      await expect(sameId).rejects.toMatchObject({ code: 'duplicate_id' })
    },
  },
  {
    name: 'a payment that is settled, rejected or void takes nothing more from a balance',
    run: async ({ store, other }, expect) => {
      const at = start + 1
      const ends: readonly PaymentEvent[] = [
        { type: 'settlement_proven', proof: proof(1), at },
        { type: 'settlement_rejected', reason: 'insufficient_funds', at },
        { type: 'authorization_expired', at },
      ]
      for (const [index, event] of ends.entries()) {
        const outcome = await store.claimWithin(ofPayer(index, 1_000n), 1_000n)
        if (outcome.status !== 'claimed') throw new Error(`payment ${index} was not claimed`)
        const unknown = await applyEvents(store, outcome.payment, [
          { type: 'settlement_unknown', reason: 'timeout', hint: null, at },
        ])
        const next = await other.claimWithin(ofPayer(9, 1_000n), 1_000n)
        expect(next.status).toBe('beyond_balance')
        await applyEvents(store, unknown, [event])
      }
      const most = 2n ** 200n
      expect((await other.claimWithin(ofPayer(9, 1_000n), most)).status).toBe('claimed')
    },
  },
  {
    name: 'the open payments of one payer are counted until its refund is final',
    run: async ({ store, other }, expect) => {
      const at = start + 1
      const { authorization } = ofPayer(1, 1_000n)
      const open = () =>
        other.openPayments({ ...authorization, from: upperCase(authorization.from) })
      expect(await open()).toEqual({ rejected: 0, others: 0 })
      await claimed(store, 7)
      const first = await store.claim(ofPayer(1, 1_000n))
      const second = await store.claim(ofPayer(2, 1_000n))
      expect(await open()).toEqual({ rejected: 0, others: 2 })
      const reason = 'insufficient_funds'
      const rejected = await applyEvents(store, first.payment, [
        { type: 'settlement_rejected', reason, at },
      ])
      expect(await open()).toEqual({ rejected: 1, others: 1 })
      await applyEvents(store, rejected, [{ type: 'authorization_expired', at }])
      expect(await open()).toEqual({ rejected: 0, others: 1 })
      const refund = { kind: 'transfer', nonce: refundNonce(2) } as const
      await applyEvents(store, second.payment, [
        { type: 'settlement_proven', proof: proof(2), at },
        { type: 'service_failed', reason: 'upstream_failed', refund, at },
        { type: 'settlement_final', at },
      ])
      expect(await open()).toEqual({ rejected: 0, others: 1 })
      const third = await store.claim(ofPayer(3, 1_000n))
      await applyEvents(store, third.payment, [
        { type: 'settlement_proven', proof: proof(3), at },
        { type: 'service_failed', reason: 'upstream_failed', refund: { kind: 'batch' }, at },
        { type: 'settlement_final', at },
      ])
      expect(await open()).toEqual({ rejected: 0, others: 2 })
      const transfer = await refundTransferOf(store, refund.nonce)
      await applyRefundEvents(store, transfer, [
        { type: 'blocked', reason, nextAttemptAt: at, at },
        { type: 'written_off', at },
      ])
      expect(await open()).toEqual({ rejected: 0, others: 1 })
    },
  },
  {
    name: 'a payer is undecided from its first payment of which it is not known what it paid or cost',
    run: async ({ store, other }, expect) => {
      const at = start + 1
      const { authorization } = ofPayer(1, 1_000n)
      const from = () =>
        other.undecidedFrom({ ...authorization, from: upperCase(authorization.from) })
      expect(await from()).toBe(null)
      await store.claim({ ...newPayment(7), intentBlock: 5 })
      const first = await store.claim({ ...ofPayer(1, 1_000n), intentBlock: 70 })
      const second = await store.claim({ ...ofPayer(2, 1_000n), intentBlock: 80 })
      expect(await from()).toBe(70)
      const refund = { kind: 'batch' } as const
      const served = await applyEvents(store, first.payment, [
        { type: 'settlement_proven', proof: proof(1), at },
        { type: 'service_failed', reason: 'upstream_failed', refund, at },
      ])
      expect(await from()).toBe(80)
      const lost = await applyEvents(store, served, [{ type: 'settlement_lost', at }])
      expect(await from()).toBe(70)
      await applyEvents(store, lost, [{ type: 'settlement_proven', proof: proof(1), at }])
      await applyEvents(store, second.payment, [
        { type: 'settlement_rejected', reason: 'insufficient_funds', at },
      ])
      expect(await from()).toBe(80)
    },
  },
  {
    name: 'what a payer bought is counted since one moment, and summed since another',
    run: async ({ store, other }, expect) => {
      const at = start + 9
      const { authorization } = ofPayer(1, 1_000n)
      const payer = { ...authorization, from: upperCase(authorization.from) }
      const spending = (requestsSince: number, spentSince: number) =>
        other.payerSpending({ payer, requestsSince, spentSince })
      const none = { requests: 0, firstRequestAt: null, spent: 0n }
      expect(await spending(start, start)).toEqual(none)
      await claimed(store, 7)
      const claims = []
      for (const number of [1, 2, 3, 4]) claims.push(await store.claim(ofPayer(number, 1_000n)))
      const [served, rejected] = claims
      if (served === undefined || rejected === undefined) throw new Error('nothing was claimed')
      const usage = null
      const refund = { kind: 'transfer', nonce: refundNonce(1) } as const
      await applyEvents(store, served.payment, [
        { type: 'settlement_proven', proof: proof(1), at },
        { type: 'service_started', at },
        { type: 'service_completed', cost: atomicUsdc(300n), usage, refund, at },
      ])
      const reason = 'insufficient_funds'
      await applyEvents(store, rejected.payment, [{ type: 'settlement_rejected', reason, at }])
      const all = { requests: 3, firstRequestAt: start + 1, spent: 2_300n }
      expect(await spending(start, start)).toEqual(all)
      const later = { requests: 1, firstRequestAt: start + 4, spent: 2_000n }
      expect(await spending(start + 4, start + 2)).toEqual(later)
      expect(await spending(start + 5, start + 5)).toEqual(none)
    },
  },
  {
    name: 'a payment that was never paid is deleted some time after it is void',
    run: async ({ store, other }, expect) => {
      const at = start + 1_000
      const expired = { type: 'authorization_expired', at } as const
      const unpaid = await applyEvents(store, await claimed(store, 1), [expired])
      const faulty = await applyEvents(store, await claimed(store, 2), [expired])
      const fault = { subject: 'payer', cause: 'settlement_reverted', expiresAt: at + 9 } as const
      await store.recordPayerFault({ ...fault, paymentId: faulty.id })
      const lost = await applyEvents(store, await settled(store, 3), [
        { type: 'settlement_lost', at },
        expired,
      ])
      const open = await claimed(store, 4)
      await store.prune({ now: at, unpaidBefore: at })
      expect(await other.load(unpaid.id)).toEqual(unpaid)
      await store.prune({ now: at, unpaidBefore: at + 1 })
      expect(await other.load(unpaid.id)).toBe(undefined)
      expect(await other.findByAuthorization(unpaid.authorization)).toBe(undefined)
      for (const kept of [faulty, lost, open]) expect(await other.load(kept.id)).toEqual(kept)
      await store.prune({ now: at + 9, unpaidBefore: at + 9 })
      expect(await other.load(faulty.id)).toBe(undefined)
      for (const kept of [lost, open]) expect(await other.load(kept.id)).toEqual(kept)
    },
  },
  {
    name: 'a transfer proves only one payment',
    run: async ({ store, other }, expect) => {
      await settled(store, 1)
      const second = await claimed(other, 2)
      const proven = other.apply(second, { type: 'settlement_proven', proof: proof(1), at: start })
      await expect(proven).rejects.toMatchObject({ code: 'proof_used' })
      expect(await store.load(second.id)).toEqual(second)
    },
  },
]

/** A payment of the payer that these cases share. */
function ofPayer(number: number, value: bigint): NewPayment {
  const { authorization } = newPayment(number)
  return newPayment(number, {
    authorization: { ...authorization, from: hex(0xbeef, 20), value: atomicUsdc(value) },
  })
}

function upperCase(text: `0x${string}`): `0x${string}` {
  return `0x${text.slice(2).toUpperCase()}`
}
