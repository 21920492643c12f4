import { atomicUsdc } from '@farebox/money'
import { createPaymentId } from '../payment/payment-id.ts'
import type { Hex } from '../payment/payment-record.ts'
import { dayMs, type PaymentSearch } from '../store/ledger-reports.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { ConformanceCase } from './conformance-case.ts'
import {
  applyEvents,
  applyRefundEvents,
  claimed,
  completed,
  hex,
  newPayment,
  paymentOf,
  proof,
  refundNonce,
  settled,
  start,
  withRefundDue,
} from './fixtures.ts'

const always: PaymentSearch = { from: 0, to: start * 2, limit: 100 }
const hourMs = 3_600_000
/** The first millisecond of the day on which the payments of the suite are served. */
const firstDay = start - (start % dayMs)

/** What an operator reads. */
export const reportCases: readonly ConformanceCase[] = [
  {
    name: 'payments are found by payer, model, status and time, the newest first',
    run: async ({ store, other }, expect) => {
      const [one, two] = [await settled(store, 1), await settled(store, 2)]
      const three = await claimed(store, 3, { model: 'maker/other' })
      const found = idsIn(other)
      expect(await found({})).toEqual([three.id, two.id, one.id])
      const payer: Hex = `0x${two.authorization.from.slice(2).toUpperCase()}`
      expect(await found({ payer })).toEqual([two.id])
      expect(await found({ model: 'maker/other' })).toEqual([three.id])
      expect(await found({ payer, model: 'maker/other' })).toEqual([])
      expect(await found({ status: 'settled' })).toEqual([two.id, one.id])
      expect(await found({ status: 'settled', payer })).toEqual([two.id])
      expect(await found({ from: start + 2 })).toEqual([three.id, two.id])
      expect(await found({ to: start + 2 })).toEqual([one.id])
    },
  },
  {
    name: 'a search by status finds the payments of that status alone, whichever index holds it',
    run: async ({ store }, expect) => {
      const found = idsIn(store)
      const failed = await applyEvents(store, await settled(store, 1), [
        { type: 'service_started', at: start },
        {
          type: 'service_failed',
          reason: 'upstream_error',
          refund: { kind: 'transfer', nonce: refundNonce(1) },
          at: start,
        },
      ])
      const { payment: served } = await withRefundDue(store, 2)
      const open = await claimed(store, 3)
      const unknown = await applyEvents(store, await claimed(store, 4), [
        { type: 'settlement_unknown', reason: 'timeout', hint: null, at: start },
      ])
      expect(await found({ status: 'failed' })).toEqual([failed.id])
      expect(await found({ status: 'completed' })).toEqual([served.id])
      expect(await found({ status: 'settling' })).toEqual([open.id])
      expect(await found({ status: 'unknown' })).toEqual([unknown.id])
      for (const status of ['settled', 'serving', 'rejected', 'void'] as const) {
        expect(await found({ status })).toEqual([])
      }
    },
  },
  {
    name: 'pages of payments created at the same moment miss none and repeat none',
    run: async ({ store }, expect) => {
      for (let number = 0; number < 7; number += 1) {
        await claimed(store, number, { createdAt: start + (number > 4 ? 1 : 0) })
      }
      const seen: string[] = []
      let after: PaymentSearch['after']
      for (let page = 0; page < 4; page += 1) {
        const rows = await store.searchPayments({ ...always, limit: 2, after })
        seen.push(...rows.map(({ id }) => id))
        after = rows.at(-1)
      }
      const all = Array.from({ length: 7 }, (_, number) => newPayment(number).id)
      expect(seen).toEqual(all.toReversed())
    },
  },
  {
    name: 'a transaction leads to the payments that it settled and refunded',
    run: async ({ store }, expect) => {
      const { payment, transfer } = await withRefundDue(store, 1)
      const found = async (hash: `0x${string}`) =>
        (await store.paymentsOfTransaction(hash)).map(({ id }) => id)
      expect(await found(proof(1).transaction)).toEqual([payment.id])
      expect(await found(hex(77, 32))).toEqual([])
      const sent = await applyRefundEvents(store, transfer, [
        { type: 'signed', signature: '0x01', validBefore: start / 1000 + 600, at: start },
        { type: 'submitted', transaction: hex(78, 32), at: start },
      ])
      expect(await found(hex(78, 32))).toEqual([payment.id])
      const other = { ...proof(5), transaction: hex(79, 32) }
      await applyRefundEvents(store, sent, [{ type: 'confirmed', proof: other, at: start }])
      expect(await found(hex(79, 32))).toEqual([payment.id])
    },
  },
  {
    name: 'the entries of one payment are in the order in which they were written',
    run: async ({ store }, expect) => {
      const { payment } = await withRefundDue(store, 1)
      await withRefundDue(store, 2)
      const entries = await store.entriesOf(payment.id)
      expect(entries.map(({ debit, credit, amount }) => [debit, credit, amount])).toEqual([
        ['treasury', 'liability', 1_000n],
        ['liability', 'refunds_payable', 600n],
        ['liability', 'revenue', 400n],
      ])
      expect(entries.every(({ paymentId }) => paymentId === payment.id)).toBe(true)
      expect(await store.entriesOf(createPaymentId(start, new Uint8Array(10)))).toEqual([])
    },
  },
  {
    name: 'refunds are found by their state, the oldest first, page by page',
    run: async ({ store }, expect) => {
      for (const number of [2, 1, 3]) await withRefundDue(store, number)
      const first = await store.searchRefunds({ status: 'waiting', limit: 2 })
      const rest = await store.searchRefunds({ status: 'waiting', limit: 2, after: first.at(-1) })
      const nonces = [...first, ...rest].map(({ nonce }) => nonce)
      expect(nonces).toEqual([1, 2, 3].map(refundNonce))
      const [blocked] = first
      if (blocked === undefined) throw new Error('no refund was found')
      const event = { type: 'blocked', reason: 'reverts', nextAttemptAt: start, at: start } as const
      await applyRefundEvents(store, blocked, [event])
      const found = await store.searchRefunds({ status: 'blocked', limit: 2 })
      expect(found.map(({ nonce, reason }) => [nonce, reason])).toEqual([
        [blocked.nonce, 'reverts'],
      ])
      expect(await store.pendingRefundTotals()).toEqual([
        { status: 'blocked', transfers: 1, amount: 600n },
        { status: 'waiting', transfers: 2, amount: 1_200n },
      ])
    },
  },
  {
    name: 'what is owed is the sum of the accounts that hold it',
    run: async ({ store }, expect) => {
      await settled(store, 1)
      await withRefundDue(store, 2)
      await completed(store, 3, { cost: 900n, refund: { kind: 'batch' } })
      const late = await applyEvents(store, await claimed(store, 4), [
        { type: 'settlement_rejected', reason: 'simulation_failed', at: start },
      ])
      await applyEvents(store, await paymentOf(store, late), [
        { type: 'settlement_proven', proof: proof(4), at: start },
      ])
      expect(await store.owed()).toEqual({
        liability: 1_000n,
        suspense: 1_000n,
        refundsPayable: 600n,
        payerCredit: 100n,
        payerChannel: 0n,
      })
    },
  },
  {
    name: 'revenue is summed by day and model, the same once its day is over',
    run: async ({ store, other }, expect) => {
      for (const number of [1, 2]) await withRefundDue(store, number)
      const day = { from: firstDay - dayMs, to: firstDay + dayMs }
      const two = { payments: 2, revenue: 800n, providerCost: 0n, unknownCosts: 2 }
      const expected = [{ day: firstDay, model: 'maker/model', ...two }]
      expect(await store.revenueByDay({ ...day, now: start })).toEqual(expected)
      const refund = { kind: 'batch' } as const
      await completed(store, 3, { cost: 400n, refund, providerCost: atomicUsdc(250n) })
      const three = { payments: 3, revenue: 1_200n, providerCost: 250n, unknownCosts: 2 }
      const all = [{ day: firstDay, model: 'maker/model', ...three }]
      const over = { ...day, now: firstDay + 2 * dayMs }
      expect(await store.revenueByDay(over)).toEqual(all)
      expect(await other.revenueByDay(over)).toEqual(all)
      expect(await other.revenueByDay({ ...over, to: firstDay })).toEqual([])
    },
  },
  {
    name: 'a payment that another model served names that model, and so does its revenue',
    run: async ({ store, other }, expect) => {
      const model = 'maker/fallback'
      const refund = { kind: 'batch' } as const
      const payment = await completed(store, 1, { cost: 400n, refund, model })
      expect(payment.model).toBe(model)
      expect(await other.load(payment.id)).toEqual(payment)
      const day = { from: firstDay, to: firstDay + dayMs, now: start }
      expect((await other.revenueByDay(day)).map((sum) => sum.model)).toEqual([model])
    },
  },
  {
    name: 'revenue of the hours of a day that is not over is the same once they are over',
    run: async ({ store, other }, expect) => {
      await withRefundDue(store, 1)
      const day = { from: firstDay, to: firstDay + dayMs }
      const revenueAt = async (reader: LedgerStore, now: number) =>
        (await reader.revenueByDay({ ...day, now })).map(({ payments, revenue }) => [
          payments,
          revenue,
        ])
      const one = [[1, 400n]]
      const ended = start - (start % hourMs) + hourMs + 300_000
      expect(await revenueAt(store, ended - 1)).toEqual(one)
      expect(await revenueAt(other, ended)).toEqual(one)
      expect(await revenueAt(store, ended)).toEqual(one)
      // An entry that comes so late counts at the latest in the sum of its day.
      await withRefundDue(store, 2)
      expect(await revenueAt(other, firstDay + dayMs + hourMs)).toEqual([[2, 800n]])
      expect(await revenueAt(store, firstDay + 2 * dayMs)).toEqual([[2, 800n]])
    },
  },
]

function idsIn(store: LedgerStore) {
  return async (search: Partial<PaymentSearch>): Promise<readonly string[]> =>
    (await store.searchPayments({ ...always, ...search })).map(({ id }) => id)
}
