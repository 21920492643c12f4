import { atomicUsdc, sum } from '@farebox/money'
import { describe, expect, test } from 'vitest'
import { ledgerPosition, type PaymentRecord } from '../../src/index.ts'
import { entriesFor, transition } from '../../src/store.ts'
import { type EventName, events, type SampleName, samples } from '../support/sample-payments.ts'

/** The entries of each event that moves money, as `debit > credit amount`. */
const booked: readonly (readonly [SampleName, EventName, readonly string[]])[] = [
  ['settling', 'settlement_proven', ['treasury > liability 1000']],
  ['unknown', 'settlement_proven', ['treasury > liability 1000']],
  ['rejected', 'settlement_proven', ['treasury > suspense 1000']],
  ['void', 'settlement_proven', ['treasury > suspense 1000']],
  ['settled', 'settlement_lost', ['liability > treasury 1000']],
  ['settled, late', 'settlement_lost', ['suspense > treasury 1000']],
  ['settled, late', 'service_failed', ['suspense > refunds_payable 1000']],
  ['settled', 'service_failed', ['liability > refunds_payable 1000']],
  ['serving', 'service_failed', ['liability > refunds_payable 1000']],
  ['serving', 'service_completed', ['liability > refunds_payable 600', 'liability > revenue 400']],
  ['serving', 'settlement_lost', ['liability > treasury 1000']],
  ['serving, lost', 'settlement_proven', ['treasury > liability 1000']],
  ['serving, lost', 'service_completed', ['absorbed_loss > revenue 400']],
  ['serving, lost', 'service_failed', []],
  ['completed, accruing', 'refund_assigned', ['payer_credit > refunds_payable 600']],
  ['completed, due', 'refund_submitted', []],
  ['completed, due', 'refund_confirmed', ['refunds_payable > treasury 600']],
  ['completed, submitted', 'refund_confirmed', ['refunds_payable > treasury 600']],
  ['completed, confirmed', 'refund_lost', ['treasury > refunds_payable 600']],
  ['completed, blocked', 'refund_written_off', ['refunds_payable > written_off 600']],
  ['completed, written off', 'refund_confirmed', ['written_off > treasury 600']],
  ['completed, written off', 'refund_unblocked', ['written_off > refunds_payable 600']],
  [
    'completed, due',
    'settlement_lost',
    ['refunds_payable > treasury 600', 'absorbed_loss > treasury 400'],
  ],
  [
    'completed, accruing',
    'settlement_lost',
    ['payer_credit > treasury 600', 'absorbed_loss > treasury 400'],
  ],
  ['completed, confirmed', 'settlement_lost', ['absorbed_loss > treasury 1000']],
  [
    'completed, lost',
    'settlement_proven',
    ['treasury > refunds_payable 600', 'treasury > absorbed_loss 400'],
  ],
  ['completed, lost', 'refund_confirmed', ['absorbed_loss > treasury 600']],
  ['completed, lost', 'authorization_expired', []],
]

describe('double entries', () => {
  test.each(booked)('%s: %s', (sample, event, expected) => {
    const entries = entriesFor(samples[sample], events[event])
    expect(entries.map(({ debit, credit, amount }) => `${debit} > ${credit} ${amount}`)).toEqual(
      expected,
    )
  })

  test('a single unit is booked', () => {
    const authorization = { ...samples.settling.authorization, value: atomicUsdc(1n) }
    const entries = entriesFor({ ...samples.settling, authorization }, events.settlement_proven)
    expect(entries).toMatchObject([{ debit: 'treasury', credit: 'liability', amount: 1n }])
  })

  test('every position adds up to zero', () => {
    const sums = Object.values(samples).map((record) => sum(Object.values(ledgerPosition(record))))
    expect(new Set(sums)).toEqual(new Set([0n]))
  })

  test('a deposit is credit of its payer, backed by escrow, once it is proven', () => {
    const deposit = { ...samples.settled, kind: 'channel_deposit' } as const
    expect(held({ ...deposit, settlement: null })).toEqual({})
    expect(held(deposit)).toEqual({ escrow: 1_000n, payer_channel: -1_000n })
  })

  test('a call takes its ceiling from its payer, and in the end what it cost', () => {
    const call = { ...samples.serving, kind: 'channel_call' } as const
    expect(held(call)).toEqual({ payer_channel: 1_000n, liability: -1_000n })
    const ended = { ...call, status: 'completed', cost: atomicUsdc(400n) } as const
    expect(held(ended)).toEqual({ payer_channel: 400n, revenue: -400n })
  })

  test('an entry has the id of its payment and the time of its event', () => {
    const [entry] = entriesFor(samples.settling, events.settlement_proven)
    expect(entry).toMatchObject({ paymentId: samples.settling.id, at: events.settlement_proven.at })
    expect(transition(samples.settling, events.settlement_proven).id).toBe(entry?.paymentId)
  })
})

/** The accounts in which a payment holds anything. */
function held(payment: PaymentRecord): Readonly<Record<string, bigint>> {
  const position = Object.entries(ledgerPosition(payment))
  return Object.fromEntries(position.filter(([, amount]) => amount !== 0n))
}
