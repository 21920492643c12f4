import { describe, expect, test } from 'vitest'
import { proof, start, withRefundDue } from '../../src/conformance/fixtures.ts'
import {
  createMemoryStore,
  type RefundTransfer,
  type RefundTransferEvent,
  TransitionError,
} from '../../src/index.ts'
import { transitionRefundTransfer } from '../../src/store.ts'

const lease = { owner: 'a', until: start }
const { transfer: fresh } = await withRefundDue(createMemoryStore(), 1)
const waiting: RefundTransfer = { ...fresh, lease }

const events: Record<RefundTransferEvent['type'], RefundTransferEvent> = {
  signed: { type: 'signed', signature: '0xab', validBefore: 2_000_000_000, at: start + 1 },
  submitted: { type: 'submitted', transaction: '0xcd', at: start + 2 },
  confirmed: { type: 'confirmed', proof: proof(7, 130), at: start + 3 },
  final: { type: 'final', at: start + 4 },
  lost: { type: 'lost', at: start + 5 },
  blocked: { type: 'blocked', reason: 'token_paused', nextAttemptAt: start + 99, at: start + 6 },
  postponed: { type: 'postponed', nextAttemptAt: start + 77, at: start + 7 },
  unblocked: { type: 'unblocked', at: start + 8 },
  written_off: { type: 'written_off', at: start + 9 },
}

function after(...path: readonly RefundTransferEvent['type'][]): RefundTransfer {
  return path.map((type) => events[type]).reduce(transitionRefundTransfer, waiting)
}

const samples: Record<RefundTransfer['status'], RefundTransfer> = {
  waiting,
  signed: after('signed'),
  submitted: after('signed', 'submitted'),
  confirmed: after('signed', 'submitted', 'confirmed'),
  final: after('confirmed', 'final'),
  blocked: after('blocked'),
  written_off: after('blocked', 'written_off'),
}

const edges: Record<
  RefundTransfer['status'],
  Partial<Record<RefundTransferEvent['type'], RefundTransfer['status']>>
> = {
  waiting: { signed: 'signed', confirmed: 'confirmed', blocked: 'blocked', postponed: 'waiting' },
  signed: {
    signed: 'signed',
    submitted: 'submitted',
    confirmed: 'confirmed',
    lost: 'waiting',
    blocked: 'blocked',
    postponed: 'signed',
  },
  submitted: {
    submitted: 'submitted',
    confirmed: 'confirmed',
    lost: 'waiting',
    blocked: 'blocked',
    postponed: 'submitted',
  },
  confirmed: { confirmed: 'confirmed', final: 'final', lost: 'waiting', postponed: 'confirmed' },
  final: {},
  blocked: {
    confirmed: 'confirmed',
    blocked: 'blocked',
    postponed: 'blocked',
    unblocked: 'waiting',
    written_off: 'written_off',
  },
  written_off: { confirmed: 'confirmed', unblocked: 'waiting' },
}

const statuses = Object.keys(samples) as RefundTransfer['status'][]
const types = Object.keys(events) as RefundTransferEvent['type'][]

test.each(statuses.flatMap((status) => types.map((type) => ({ status, type }))))(
  '$status: $type',
  ({ status, type }) => {
    const expected = edges[status][type]
    if (expected === undefined) {
      expect(() => transitionRefundTransfer(samples[status], events[type])).toThrow(TransitionError)
      return
    }
    const next = transitionRefundTransfer(samples[status], events[type])
    expect(next.status).toBe(expected)
    expect(next.version).toBe(samples[status].version + 1)
    const { nonce, amount, payer, payments, createdAt } = samples[status]
    expect(next).toMatchObject({ nonce, amount, payer, payments, createdAt })
  },
)

describe('the fields of a refund transfer', () => {
  test('signedAt is the first signature, validBefore the latest expiry of any signature', () => {
    const again = transitionRefundTransfer(samples.signed, {
      type: 'signed',
      signature: '0xef',
      validBefore: 1_900_000_000,
      at: start + 50,
    })
    expect(again).toMatchObject({
      signature: '0xef',
      signedAt: start + 1,
      validBefore: 2_000_000_000,
    })
    expect(after('signed', 'lost')).toMatchObject({ signature: null, validBefore: 2_000_000_000 })
  })

  test('is written off only after its last signature has expired', () => {
    const blocked = after('signed', 'blocked')
    const expiresAt = 2_000_000_000_000
    const writtenOff = (at: number) =>
      transitionRefundTransfer(blocked, { type: 'written_off', at }).status
    expect(() => writtenOff(start + 9)).toThrow(TransitionError)
    expect(() => writtenOff(expiresAt)).toThrow(TransitionError)
    expect(writtenOff(expiresAt + 1)).toBe('written_off')
  })

  test('an event with an earlier time does not move updatedAt back', () => {
    const early = { ...events.postponed, at: start - 1_000 }
    const { updatedAt } = samples.signed
    expect(transitionRefundTransfer(samples.signed, early).updatedAt).toBe(updatedAt)
  })

  test('attempts counts until the refund transfer is unblocked', () => {
    expect(after('signed', 'submitted', 'postponed', 'blocked').attempts).toBe(3)
    expect(after('blocked', 'unblocked')).toMatchObject({ attempts: 0, nextAttemptAt: start + 8 })
  })

  test('a submitted refund need not be checked until a certain time', () => {
    const submitted = { ...events.submitted, nextAttemptAt: start + 9_000 }
    expect(transitionRefundTransfer(samples.signed, submitted)).toMatchObject({
      status: 'submitted',
      transaction: '0xcd',
      attempts: samples.signed.attempts + 1,
      nextAttemptAt: start + 9_000,
      lease: null,
    })
  })

  test.each(['blocked', 'postponed'] as const)('%s releases the lease', (type) => {
    expect(after(type).lease).toBe(null)
    expect(after('signed').lease).toEqual(lease)
  })

  test('a confirmation that names the next look is also a postponement', () => {
    const [confirmed, postponed] = [events.confirmed, events.postponed]
    const both = { ...confirmed, nextAttemptAt: start + 77 } as RefundTransferEvent
    const { version, updatedAt, ...next } = transitionRefundTransfer(samples.submitted, both)
    const inTwo = [confirmed, postponed].reduce(transitionRefundTransfer, samples.submitted)
    expect(inTwo).toMatchObject(next)
    expect(version).toBe(inTwo.version - 1)
    expect(updatedAt).toBeLessThanOrEqual(inTwo.updatedAt)
  })
})
