import type { Hex, TransferProof } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { auditChannelEvents, type Moved } from '../../src/audit/audit-channel-events.ts'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'
import { usdc } from '../support/pay.ts'

const [ours, stranger, treasury, asset]: readonly [Hex, Hex, Hex, Hex] = [
  '0x1',
  '0x2',
  '0x3',
  '0x4',
]
const range = { fromBlock: 10, before: 20 }

function proofAt(block: number, logIndex = 0): TransferProof {
  return { transaction: `0x${block}`, block, blockHash: `0xb${block}`, logIndex }
}

function logOf(
  type: 'deposited' | 'refunded' | 'withdrawn',
  block: number,
  amount = 5n,
): ChannelLog {
  return { type, channelId: ours, amount: usdc(amount), proof: proofAt(block) }
}

function movedAt(kind: Moved['kind'], block: number, amount = 5n): Moved {
  return { kind, channelId: ours, amount: usdc(amount), proof: proofAt(block) }
}

function settledTo(receiver: Hex, token = asset): ChannelLog {
  return { type: 'settled', receiver, token, amount: usdc(5n), proof: proofAt(15) }
}

function audited(logs: readonly ChannelLog[], moved: readonly Moved[]) {
  return auditChannelEvents({ logs, moved, ids: new Set([ours]), treasury, asset, range }).map(
    ({ channelId, finding: { kind, amount, transaction } }) => [
      channelId,
      kind,
      amount,
      transaction,
    ],
  )
}

test.each([
  ['deposited', 'deposit'],
  ['refunded', 'refund'],
  ['withdrawn', 'withdrawal'],
] as const)('a log that says %s matches the movement of its place', (type, kind) => {
  expect(audited([logOf(type, 15)], [movedAt(kind, 15)])).toEqual([])
})

test('a claim, and its payment to the treasury, match', () => {
  const [amount, claimed] = [usdc(5n), { ...movedAt('claim', 15), proof: proofAt(15, 1) }]
  const log: ChannelLog = {
    type: 'claimed',
    channelId: ours,
    amount,
    total: amount,
    proof: claimed.proof,
  }
  const settle: Moved = { kind: 'settle', channelId: null, amount, proof: proofAt(15) }
  expect(audited([log, settledTo(treasury)], [claimed, settle])).toEqual([])
})

test('a log that is not booked, or booked otherwise, is named with its transaction', () => {
  const differs = [ours, 'channel_differs', 5n, '0x15']
  expect(audited([logOf('deposited', 15)], [])).toEqual([differs])
  expect(audited([logOf('deposited', 15)], [movedAt('refund', 15)])).toEqual([differs])
  expect(audited([logOf('deposited', 15)], [movedAt('deposit', 15, 4n)])).toEqual([differs])
  expect(audited([logOf('deposited', 15, 1n)], [])).toEqual([[ours, 'channel_differs', 1n, '0x15']])
  expect(audited([settledTo(treasury)], [])).toEqual([[null, 'channel_differs', 5n, '0x15']])
})

test('the last blocks may be booked by the next round', () => {
  expect(audited([logOf('deposited', 20)], [])[0]?.[1]).toBe('channel_differs')
  expect(audited([logOf('deposited', 21)], [])[0]?.[1]).toBe('channel_in_progress')
})

test('a movement without its log is named, unless the logs of its block were not read', () => {
  expect(audited([], [movedAt('deposit', 9)])).toEqual([])
  expect(audited([], [movedAt('deposit', 10)])).toEqual([[ours, 'channel_differs', 5n, '0x10']])
})

test('logs that move nothing of ours are left out', () => {
  const foreign = { ...logOf('deposited', 15), channelId: stranger } as ChannelLog
  const announced: ChannelLog = {
    type: 'withdraw_announced',
    channelId: ours,
    withdrawAt: 1,
    proof: proofAt(15),
  }
  const nothing = logOf('refunded', 15, 0n)
  expect(audited([foreign, announced, nothing, settledTo(stranger)], [])).toEqual([])
  expect(audited([settledTo(treasury, '0x5')], [])).toEqual([])
})
