import { atomicUsdc } from '@farebox/money'
import { describe, expect, test } from 'vitest'
import { proof, start } from '../../src/conformance/fixtures.ts'
import { isServable, isUnfinished, TransitionError } from '../../src/index.ts'
import { transition } from '../../src/store.ts'
import {
  after,
  type EventName,
  events,
  type SampleName,
  samples,
} from '../support/sample-payments.ts'

/** The next state for each allowed event, as `status` or `status/refund`. */
const edges: Record<SampleName, Partial<Record<EventName, string>>> = {
  settling: {
    settlement_unknown: 'unknown',
    settlement_proven: 'settled',
    settlement_rejected: 'rejected',
    authorization_expired: 'void',
  },
  unknown: {
    settlement_unknown: 'unknown',
    settlement_proven: 'settled',
    settlement_rejected: 'rejected',
    authorization_expired: 'void',
  },
  settled: {
    settlement_proven: 'settled',
    settlement_final: 'settled',
    settlement_lost: 'unknown',
    service_started: 'serving',
    service_failed: 'failed/due',
  },
  'settled, final': {
    settlement_proven: 'settled',
    settlement_lost: 'unknown',
    service_started: 'serving',
    service_failed: 'failed/due',
  },
  'settled, late': {
    settlement_proven: 'settled',
    settlement_final: 'settled',
    settlement_lost: 'rejected',
    service_failed: 'failed/due',
  },
  serving: {
    settlement_proven: 'serving',
    settlement_final: 'serving',
    settlement_lost: 'serving',
    service_completed: 'completed/due',
    service_failed: 'failed/due',
  },
  'serving, lost': {
    settlement_proven: 'serving',
    service_completed: 'completed/due',
    service_failed: 'failed/due',
  },
  rejected: { settlement_proven: 'settled', authorization_expired: 'void' },
  void: { settlement_proven: 'settled' },
  'completed, accruing': {
    settlement_proven: 'completed/accruing',
    settlement_final: 'completed/accruing',
    settlement_lost: 'completed/accruing',
    refund_assigned: 'completed/due',
  },
  'completed, due': {
    settlement_proven: 'completed/due',
    settlement_final: 'completed/due',
    settlement_lost: 'completed/due',
    refund_submitted: 'completed/submitted',
    refund_confirmed: 'completed/confirmed',
    refund_blocked: 'completed/blocked',
  },
  'completed, submitted': {
    settlement_proven: 'completed/submitted',
    settlement_final: 'completed/submitted',
    settlement_lost: 'completed/submitted',
    refund_submitted: 'completed/submitted',
    refund_confirmed: 'completed/confirmed',
    refund_lost: 'completed/due',
    refund_blocked: 'completed/blocked',
  },
  'completed, confirmed': {
    settlement_proven: 'completed/confirmed',
    settlement_final: 'completed/confirmed',
    settlement_lost: 'completed/confirmed',
    refund_confirmed: 'completed/confirmed',
    refund_lost: 'completed/due',
  },
  'completed, blocked': {
    settlement_proven: 'completed/blocked',
    settlement_final: 'completed/blocked',
    settlement_lost: 'completed/blocked',
    refund_confirmed: 'completed/confirmed',
    refund_unblocked: 'completed/due',
    refund_written_off: 'completed/written_off',
  },
  'completed, written off': {
    settlement_proven: 'completed/written_off',
    settlement_final: 'completed/written_off',
    settlement_lost: 'completed/written_off',
    refund_confirmed: 'completed/confirmed',
    refund_unblocked: 'completed/due',
  },
  'completed, lost': {
    settlement_proven: 'completed/due',
    authorization_expired: 'completed/due',
    refund_submitted: 'completed/submitted',
    refund_confirmed: 'completed/confirmed',
    refund_blocked: 'completed/blocked',
  },
  'completed, loss booked': {
    settlement_proven: 'completed/due',
    refund_submitted: 'completed/submitted',
    refund_confirmed: 'completed/confirmed',
    refund_blocked: 'completed/blocked',
  },
  'completed, all spent': {
    settlement_proven: 'completed',
    settlement_final: 'completed',
    settlement_lost: 'completed',
  },
  failed: {
    settlement_proven: 'failed/due',
    settlement_final: 'failed/due',
    settlement_lost: 'failed/due',
    refund_submitted: 'failed/submitted',
    refund_confirmed: 'failed/confirmed',
    refund_blocked: 'failed/blocked',
  },
}

const sampleNames = Object.keys(samples) as SampleName[]
const eventNames = Object.keys(events) as EventName[]
const cases = sampleNames.flatMap((sample) => eventNames.map((event) => ({ sample, event })))

describe('each event in each state', () => {
  test.each(cases)('$sample: $event', ({ sample, event }) => {
    const expected = edges[sample][event]
    const record = samples[sample]
    if (expected === undefined) {
      expect(() => transition(record, events[event])).toThrow(TransitionError)
      return
    }
    const next = transition(record, events[event])
    const refund = next.refund === null ? '' : `/${next.refund.status}`
    expect(next.status + refund).toBe(expected)
    expect(next.version).toBe(record.version + 1)
  })
})

describe('service', () => {
  test('only a settled payment whose transfer came after its claim can be served', () => {
    expect(sampleNames.filter((name) => isServable(samples[name]))).toEqual([
      'settled',
      'settled, final',
    ])
  })

  test.each(sampleNames.filter((name) => /^(serving|completed|failed)/.test(name)))(
    '%s never leads to a servable state',
    (name) => {
      const seen = new Set<string>()
      const queue = [samples[name]]
      for (let record = queue.shift(); record !== undefined; record = queue.shift()) {
        const key = JSON.stringify({ ...record, version: 0, updatedAt: 0 }, (_, value: unknown) =>
          typeof value === 'bigint' ? value.toString() : value,
        )
        if (seen.has(key)) continue
        seen.add(key)
        expect(isServable(record)).toBe(false)
        for (const event of Object.values(events)) {
          try {
            queue.push(transition(record, event))
          } catch (error) {
            if (!(error instanceof TransitionError)) throw error
          }
        }
      }
    },
  )

  test('a transfer from before the claim cannot be served', () => {
    const settled = after({ ...events.settlement_proven, proof: proof(1, 100) })
    expect([settled.status, settled.reason]).toEqual(['settled', 'unsolicited_transfer'])
    expect(() => transition(settled, events.service_started)).toThrow(TransitionError)
  })

  test('a call of a channel is paid by its voucher: no transfer proves it', () => {
    const call = { ...samples.serving, kind: 'channel_call' } as const
    expect(() => transition(call, events.settlement_proven)).toThrow(TransitionError)
  })

  test('a service begins with the proof, unless the transfer does not pay for it', () => {
    const proven = { ...events.settlement_proven, begins: true } as const
    expect([after(proven).status, after(proven).reason]).toEqual(['serving', null])
    const early = after({ ...proven, proof: proof(1, 100) })
    expect([early.status, early.reason]).toEqual(['settled', 'unsolicited_transfer'])
    expect(transition(samples.rejected, proven).status).toBe('settled')
  })

  test.each(['rejected', 'void'] as const)(
    'a late transfer on a %s payment is refunded in full',
    (name) => {
      const failed = [events.settlement_proven, events.service_failed].reduce<
        (typeof samples)[SampleName]
      >(transition, samples[name])
      expect(failed.status).toBe('failed')
      expect(failed.cost).toBe(0n)
      expect(failed.refund?.amount).toBe(1_000n)
    },
  )
})

describe('amounts', () => {
  test.each([-1n, 1_001n])('a cost of %s out of 1,000 is rejected', (cost) => {
    const event = { ...events.service_completed, cost: atomicUsdc(cost) }
    expect(() => transition(samples.serving, event)).toThrow(
      expect.objectContaining({ code: 'invalid_transition', status: 'serving' }),
    )
  })

  test.each([
    [0n, 1_000n],
    [1n, 999n],
    [999n, 1n],
    [1_000n, undefined],
  ])('a cost of %s leaves a refund of %s', (cost, refund) => {
    const event = { ...events.service_completed, cost: atomicUsdc(cost) }
    expect(transition(samples.serving, event).refund?.amount).toBe(refund)
  })
})

describe('the fields of a payment', () => {
  test('the model is that which was bought, until another one has served', () => {
    const { model } = samples.serving
    expect(transition(samples.serving, events.service_completed).model).toBe(model)
    const event = { ...events.service_completed, model: 'maker/fallback' }
    expect(transition(samples.serving, event).model).toBe('maker/fallback')
  })

  test('the signed payload is kept as long as it may be sent again', () => {
    expect(sampleNames.filter((name) => samples[name].payload === null)).toEqual([
      'settled, final',
      'settled, late',
      'rejected',
      'void',
      'completed, loss booked',
    ])
  })

  test('a payment is unfinished until its settlement is final', () => {
    const final = transition(samples['completed, due'], events.settlement_final)
    expect(isUnfinished(final)).toBe(false)
    expect(sampleNames.filter((name) => !isUnfinished(samples[name]))).toEqual([
      'void',
      'completed, loss booked',
    ])
  })

  test('a settlement that moved to another block is no longer final', () => {
    const moved = { ...events.settlement_proven, proof: proof(1, 104) }
    const payment = transition(samples['settled, final'], moved)
    expect([payment.settlement?.block, payment.settlementFinal]).toEqual([104, false])
  })

  test('updatedAt never decreases', () => {
    const old = { ...events.settlement_proven, at: start - 5_000 }
    expect(transition(samples.settling, old).updatedAt).toBe(start + 1)
  })

  test('an unknown settlement keeps its hint if a later event has none', () => {
    const hinted = transition(samples.settling, { ...events.settlement_unknown, hint: '0xaa' })
    expect(transition(hinted, events.settlement_unknown).settlementHint).toBe('0xaa')
  })
})
