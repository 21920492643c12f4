import { atomicUsdc } from '@farebox/money'
import type { ConformanceCase } from './conformance-case.ts'
import { applyEvents, claimed, hex, newPayment, proof, settled, start } from './fixtures.ts'

/** An authorisation can be claimed once, in any case of its digits and from any process. */
export const claimCases: readonly ConformanceCase[] = [
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
    name: 'of 50 concurrent claims of one authorisation, one succeeds and the others return its payment',
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
    name: 'upper and lower case identify the same authorisation',
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
    },
  },
  {
    name: 'another chain, asset, payer or nonce identifies another authorisation',
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

function upperCase(text: `0x${string}`): `0x${string}` {
  return `0x${text.slice(2).toUpperCase()}`
}
