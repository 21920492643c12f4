import type { RefundTransfer } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { recordOutcome } from '../../src/refund-worker/record-outcome.ts'
import {
  nonceOf,
  proof,
  refundTransfer,
  refundWorld,
  start,
  transferred,
  treasury,
} from '../support/refund-world.ts'

const [second, hour, day] = [1_000, 3_600_000, 86_400_000]
const blocked = (changes: Partial<RefundTransfer> = {}) =>
  refundTransfer({ status: 'blocked', reason: 'reverts', signature: null, ...changes })

const arrived = (...paid: Parameters<typeof transferred>) =>
  ({ status: 'transferred', use: transferred(...paid) }) as const

test('a refund that arrived is confirmed, and looked at when its other blocks can be there', async () => {
  const { ports, refundNow, noticed } = refundWorld([refundTransfer()])
  await recordOutcome(ports, { transfer: await refundNow(), outcome: arrived() })
  expect(await refundNow()).toMatchObject({
    status: 'confirmed',
    proof,
    nextAttemptAt: start + 6 * 20 * second,
  })
  expect(noticed()).toEqual(['refund_confirmed'])
})

test('a confirmed refund is looked at no sooner than the pause of watching', async () => {
  const { ports, refundNow } = refundWorld([refundTransfer()], { policy: { watchMs: hour } })
  await recordOutcome(ports, { transfer: await refundNow(), outcome: arrived() })
  expect(await refundNow()).toMatchObject({ nextAttemptAt: start + hour })
})

test.each<readonly [RefundTransfer, bigint, boolean]>([
  [refundTransfer(), 6_000n, false],
  [refundTransfer({ status: 'submitted', transaction: '0x8' }), 6_000n, false],
  [refundTransfer(), 5_999n, true],
  [refundTransfer({ status: 'waiting', signature: null }), 6_000n, true],
])(
  'a refund is reported as found when it was not sent in this state: %#',
  async (transfer, value, found) => {
    const { ports, notices } = refundWorld([transfer])
    await recordOutcome(ports, { transfer, outcome: arrived(value) })
    expect(notices).toMatchObject([
      ...(found ? [{ type: 'refund_found', value }] : []),
      { type: 'refund_confirmed' },
    ])
  },
)

test('a nonce that paid another account blocks its refund', async () => {
  const { ports, refundNow, notices } = refundWorld([refundTransfer()])
  await recordOutcome(ports, {
    transfer: await refundNow(),
    outcome: arrived(6_000n, treasury),
  })
  expect(await refundNow()).toMatchObject({ status: 'blocked', reason: 'nonce_used_elsewhere' })
  expect(notices).toMatchObject([{ type: 'refund_blocked', reason: 'nonce_used_elsewhere' }])
})

test('a refund that moved to another block is confirmed there at once', async () => {
  const confirmed = refundTransfer({ status: 'confirmed', transaction: '0x8', proof })
  const { ports, refundNow, noticed } = refundWorld([confirmed])
  await recordOutcome(ports, {
    transfer: confirmed,
    outcome: { status: 'lost', use: transferred() },
  })
  expect(await refundNow()).toMatchObject({ status: 'confirmed', version: 3 })
  expect(noticed()).toContain('refund_lost')
  expect(noticed()).toContain('refund_confirmed')
})

test('a refund that vanished is tried again at once', async () => {
  const confirmed = refundTransfer({ status: 'confirmed', transaction: '0x8', proof })
  const { ports, refundNow, noticed } = refundWorld([confirmed])
  const use = { status: 'canceled' } as const
  await recordOutcome(ports, { transfer: confirmed, outcome: { status: 'lost', use } })
  expect(await refundNow()).toMatchObject({ status: 'waiting', nextAttemptAt: start, version: 3 })
  expect(noticed()).toEqual(['refund_lost'])
})

test('what another replica changed first is left as it is, and not reported', async () => {
  const { ports, refundNow, notices } = refundWorld([refundTransfer()])
  await recordOutcome(ports, { transfer: refundTransfer({ version: 0 }), outcome: arrived() })
  expect([await refundNow(), notices]).toEqual([refundTransfer(), []])
})

test('a refund is looked at again after its delay', async () => {
  const { ports, refundNow, notices } = refundWorld([refundTransfer()])
  const outcome = { status: 'retry_later', delayMs: 70 } as const
  await recordOutcome(ports, { transfer: await refundNow(), outcome })
  expect(await refundNow()).toMatchObject({ status: 'signed', nextAttemptAt: start + 70 })
  expect(notices).toEqual([])
})

test.each<readonly [string, RefundTransfer, number, boolean]>([
  ['at first', refundTransfer(), 15 * second, true],
  [
    'after another obstacle',
    blocked({ reason: 'refund_cap', nextAttemptAt: start + hour }),
    15 * second,
    true,
  ],
  ['again', blocked({ nextAttemptAt: start + 20 * second }), 40 * second, false],
  ['again, at the shortest', blocked({ nextAttemptAt: start + 2 * second }), 15 * second, false],
  ['again, at the longest', blocked({ nextAttemptAt: start + 20 * hour }), day, false],
])(
  'a payee that blocks its refund %s: the next try and whether it is reported',
  async (_, transfer, delay, reported) => {
    const { ports, refundNow, noticed } = refundWorld([transfer])
    const outcome = { status: 'blocked_for_payee', reason: 'reverts' } as const
    await recordOutcome(ports, { transfer, outcome })
    expect(await refundNow()).toMatchObject({
      status: 'blocked',
      reason: 'reverts',
      nextAttemptAt: start + delay,
    })
    expect(noticed()).toEqual(reported ? ['refund_blocked'] : [])
  },
)

test('the delay doubles for a refund that was signed in between', async () => {
  const leased = blocked({ nextAttemptAt: start + 20 * second })
  const { ports, refundNow, noticed } = refundWorld([refundTransfer()])
  const outcome = { status: 'blocked_for_payee', reason: 'reverts' } as const
  await recordOutcome(ports, { transfer: await refundNow(), leased, outcome })
  expect(await refundNow()).toMatchObject({ nextAttemptAt: start + 40 * second })
  expect(noticed()).toEqual([])
})

test.each([
  [7 * day - 1, []],
  [7 * day, ['refund_overdue']],
])('a refund that is blocked for %d ms: %j', async (age, expected) => {
  const old = blocked({ createdAt: start - age })
  const { ports, noticed } = refundWorld([old])
  const outcome = { status: 'blocked_for_payee', reason: 'reverts' } as const
  await recordOutcome(ports, { transfer: old, outcome })
  expect(noticed()).toEqual(expected)
})

test.each<readonly [string, RefundTransfer, string | null, number, Partial<RefundTransfer>]>([
  [
    'without a reason',
    refundTransfer(),
    null,
    -1,
    { status: 'signed', nextAttemptAt: start + 5 * second },
  ],
  [
    'for its own reason',
    refundTransfer(),
    'treasury_empty',
    -1,
    { status: 'blocked', reason: 'treasury_empty', nextAttemptAt: start + 10 * second },
  ],
  [
    'that was blocked stays so',
    blocked(),
    null,
    -1,
    { status: 'blocked', reason: 'reverts', nextAttemptAt: start + 10 * second },
  ],
  [
    'while all are paused for a moment',
    refundTransfer(),
    null,
    20 * second - 1,
    { status: 'signed' },
  ],
  [
    'while all are paused for long',
    refundTransfer(),
    null,
    20 * second,
    { status: 'blocked', reason: 'no_gas' },
  ],
  [
    'that had a reason and is sent',
    refundTransfer({ reason: 'reverts' }),
    null,
    -1,
    { status: 'signed' },
  ],
])('a refund that waits for us, %s', async (_, transfer, reason, pausedMs, expected) => {
  const { world, ports, refundNow, noticed } = refundWorld([transfer])
  if (pausedMs >= 0) {
    ports.breaker.trip('no_gas')
    world.now += pausedMs
  }
  await recordOutcome(ports, { transfer, outcome: { status: 'blocked_for_system', reason } })
  const { nextAttemptAt = world.now + (expected.status === 'blocked' ? 10 : 5) * second } = expected
  expect(await refundNow()).toMatchObject({ ...expected, nextAttemptAt })
  const isNew = expected.status === 'blocked' && transfer.status !== 'blocked'
  expect(noticed().filter((type) => type === 'refund_blocked')).toHaveLength(isNew ? 1 : 0)
})

test('a refund that is owed no longer is written off, for the reason that blocked it', async () => {
  const old = blocked({ validBefore: start / 1000 - 1 })
  const { ports, refundNow, notices } = refundWorld([old])
  await recordOutcome(ports, { transfer: old, outcome: { status: 'written_off' } })
  expect(await refundNow()).toMatchObject({ status: 'written_off' })
  expect(notices).toMatchObject([{ type: 'refund_written_off', reason: 'reverts' }])
})

test('a final refund is not reported', async () => {
  const confirmed = refundTransfer({ status: 'confirmed', transaction: '0x8', proof })
  const { ports, refundNow, notices } = refundWorld([confirmed])
  await recordOutcome(ports, { transfer: confirmed, outcome: { status: 'final' } })
  expect([(await refundNow(nonceOf(3))).status, notices]).toEqual(['final', []])
})
