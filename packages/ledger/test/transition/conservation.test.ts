import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bookErrors, exported } from '../../src/conformance/fixtures.ts'
import {
  createMemoryStore,
  type PaymentRecord,
  paymentStatuses,
  refundStatuses,
} from '../../src/index.ts'
import { randomSteps, takeStep, transcriptOf } from './random-steps.ts'

test('after every random step, entries balance and refund transfers are the sum of their refunds', async () => {
  const reached = new Set<string>()
  await fc.assert(
    fc.asyncProperty(randomSteps, async (steps) => {
      const store = createMemoryStore()
      for (const [index, step] of steps.entries()) {
        await takeStep(store, step, index)
        expect(await bookErrors(store)).toEqual([])
      }
      for (const { payment } of await exported(store)) {
        reached.add(payment.status)
        if (payment.refund !== null) reached.add(payment.refund.status)
      }
    }),
    { numRuns: 400, seed: 20_261_120 },
  )
  // The steps are varied enough to be meaningful: they reach every state of a sale.
  const states = [...paymentStatuses, ...refundStatuses].filter((state) => state !== 'released')
  expect([...reached].toSorted()).toEqual(states.toSorted())
})

test('for a finished payment, paid = cost + refund + written off', async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps, async (steps) => {
      const store = createMemoryStore()
      await transcriptOf(store, steps)
      for (const { payment, entries } of await exported(store)) {
        if (!isFinished(payment) || payment.settlement === null) continue
        const balanceOf = (account: string): bigint =>
          entries.reduce((total, { debit, credit, amount }) => {
            const sign = debit === account ? 1n : credit === account ? -1n : 0n
            return total + sign * amount
          }, 0n)
        const { value } = payment.authorization
        const writtenOff = -balanceOf('written_off')
        const confirmed = payment.refund?.status === 'confirmed' ? payment.refund.amount : 0n
        expect((payment.cost ?? 0n) + confirmed + writtenOff).toBe(value)
        expect(balanceOf('treasury')).toBe(value - confirmed)
        expect(-balanceOf('revenue')).toBe(payment.cost ?? 0n)
        expect(
          balanceOf('liability') + balanceOf('refunds_payable') + balanceOf('payer_credit'),
        ).toBe(0n)
      }
    }),
    { numRuns: 400, seed: 5 },
  )
})

function isFinished({ status, refund }: PaymentRecord): boolean {
  if (status !== 'completed' && status !== 'failed') return false
  return refund === null || refund.status === 'confirmed' || refund.status === 'written_off'
}
