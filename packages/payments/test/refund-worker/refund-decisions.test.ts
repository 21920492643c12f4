import type { Hex, RefundTransfer, RefundTransferEvent } from '@farebox/ledger'
import { retryRefund, writeOffRefund } from '@farebox/payments'
import { expect, test } from 'vitest'
import { isWriteOffRequested } from '../../src/refund-worker/resolve-refund.ts'
import { usdc } from '../support/pay.ts'

const nonce: Hex = `0x${'3'.repeat(64)}`
const blocked: RefundTransfer = {
  nonce,
  version: 1,
  chainId: 84532,
  asset: `0x${'4'.repeat(40)}`,
  payer: `0x${'2'.repeat(40)}`,
  amount: usdc(6_000n),
  payments: [],
  sequence: null,
  status: 'blocked',
  validBefore: null,
  signature: null,
  signedAt: null,
  transaction: null,
  proof: null,
  reason: 'blacklisted_payee',
  attempts: 1,
  nextAttemptAt: 0,
  lease: null,
  createdAt: 0,
  updatedAt: 0,
}
const requested = { ...blocked, reason: 'write_off_requested' }

/** A refund that a worker changes before each of the first writes, so many times. */
function decisionOn(transfer: RefundTransfer | undefined, conflicts = 0) {
  const events: RefundTransferEvent[] = []
  let left = conflicts
  return {
    events,
    decision: {
      nonce,
      clock: () => 1_000,
      store: {
        loadRefund: async () => transfer,
        applyToRefund: async (current: RefundTransfer, event: RefundTransferEvent) => {
          const status = left > 0 ? ('conflict' as const) : ('applied' as const)
          left -= 1
          if (status === 'applied') events.push(event)
          return { status, transfer: { ...current, version: current.version + 1 } }
        },
      },
    },
  }
}

test('a refund that does not exist cannot be decided on', async () => {
  const { decision } = decisionOn(undefined)
  expect(await writeOffRefund(decision)).toEqual({ status: 'not_found' })
})

test.each([
  'blacklisted_payee',
  'reverts',
  'authorization_canceled',
  'nonce_used_elsewhere',
  'settlement_lost',
])('a refund that is blocked by %s can be written off', async (reason) => {
  const { decision, events } = decisionOn({ ...blocked, reason })
  expect(await writeOffRefund(decision)).toMatchObject({ status: 'accepted' })
  const at = 1_000
  expect(events).toEqual([
    { type: 'blocked', reason: 'write_off_requested', nextAttemptAt: at, at },
  ])
})

test('a refund whose obstacle is ours, or that is not blocked, is not written off', async () => {
  const ours = decisionOn({ ...blocked, reason: 'treasury_short' })
  expect(await writeOffRefund(ours.decision)).toMatchObject({ status: 'deliverable' })
  const sent = decisionOn({ ...blocked, status: 'submitted' })
  expect(await writeOffRefund(sent.decision)).toMatchObject({ status: 'not_blocked' })
  expect([...ours.events, ...sent.events]).toEqual([])
})

test('a write-off that was requested before is accepted and writes nothing', async () => {
  const { decision, events } = decisionOn(requested)
  expect(await writeOffRefund(decision)).toMatchObject({ status: 'accepted' })
  expect(events).toEqual([])
})

test.each(['blocked', 'written_off'] as const)('a refund that is %s is retried', async (status) => {
  const { decision, events } = decisionOn({ ...blocked, status })
  expect(await retryRefund(decision)).toMatchObject({ status: 'accepted' })
  expect(events).toEqual([{ type: 'unblocked', at: 1_000 }])
})

test('a refund that is under way is not retried', async () => {
  const { decision, events } = decisionOn({ ...blocked, status: 'submitted' })
  expect(await retryRefund(decision)).toMatchObject({ status: 'not_blocked' })
  expect(events).toEqual([])
})

test('a decision is written although workers change the refund, up to ten times', async () => {
  const often = decisionOn(blocked, 9)
  const outcome = await retryRefund(often.decision)
  expect(outcome).toMatchObject({ status: 'accepted', transfer: { version: 11 } })
  expect(await retryRefund(decisionOn(blocked, 10).decision)).toMatchObject({ status: 'busy' })
})

test('only a blocked refund waits to be written off', () => {
  expect(isWriteOffRequested(requested)).toBe(true)
  expect(isWriteOffRequested({ ...requested, status: 'written_off' })).toBe(false)
  expect(isWriteOffRequested(blocked)).toBe(false)
})
