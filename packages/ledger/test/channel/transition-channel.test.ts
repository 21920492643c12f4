import { atomicUsdc } from '@farebox/money'
import { describe, expect, test } from 'vitest'
import {
  channelEvents,
  newChannel,
  voucher,
} from '../../src/conformance/channels/channel-fixtures.ts'
import { proof, start } from '../../src/conformance/fixtures.ts'
import {
  admitsCall,
  type ChannelEvent,
  type ChannelPaymentEvent,
  type ChannelRecord,
  type ChannelStatus,
  channelAmounts,
  TransitionError,
  transitionChannel,
} from '../../src/index.ts'
import { openingChannel } from '../../src/store/channel-claims.ts'

type AnyEvent = ChannelEvent | ChannelPaymentEvent

const held: AnyEvent = {
  type: 'held',
  amount: atomicUsdc(1_000n),
  voucher: voucher(5_000n),
  digest: 'digest',
  at: start + 1,
}
const charged: AnyEvent = {
  type: 'charged',
  ceiling: atomicUsdc(1_000n),
  cost: atomicUsdc(400n),
  at: start + 2,
}
const refunded = channelEvents.returned('refund', 9_600n)
const lostRefund: AnyEvent = { ...refunded, type: 'return_lost' }

function after(...events: readonly AnyEvent[]): ChannelRecord {
  return events.reduce(transitionChannel, openingChannel(newChannel(1)))
}

const used = [channelEvents.deposited(10_000n), held, charged] as const
const samples: Readonly<Record<ChannelStatus, ChannelRecord>> = {
  opening: after(),
  open: after(...used),
  closing: after(...used, channelEvents.closing),
  closed: after(...used, channelEvents.closing, refunded),
  frozen: after(...used, channelEvents.frozen),
}

const [opening, open, closing, closed, frozen] = [
  'opening',
  'open',
  'closing',
  'closed',
  'frozen',
] as const
const events: Readonly<Record<string, AnyEvent>> = {
  deposited: channelEvents.deposited(5n),
  held,
  closing: channelEvents.closing,
  'nonce used': { ...channelEvents.nonceUsed, refundNonce: 1n } as AnyEvent,
  frozen: channelEvents.frozen,
  refunded,
  'partly refunded': channelEvents.returned('refund', 9_599n),
  'refund lost': lostRefund,
  withdrawn: channelEvents.returned('withdrawal', 100n),
  announced: channelEvents.announced,
  claimed: channelEvents.claimed(400n),
}

/** The status that each event leads to; a dash means that it is not allowed. */
const edges: Readonly<Record<string, readonly (ChannelStatus | '-')[]>> = {
  //                opening, open,    closing, closed,  frozen
  deposited: [open, open, closing, open, frozen],
  held: ['-', open, '-', '-', '-'],
  closing: ['-', closing, '-', '-', '-'],
  'nonce used': [opening, open, open, closed, frozen],
  frozen: [frozen, frozen, frozen, frozen, '-'],
  refunded: [opening, open, closed, closed, frozen],
  'partly refunded': [opening, open, open, closed, frozen],
  'refund lost': ['-', '-', '-', closing, '-'],
  withdrawn: [opening, open, closing, closed, frozen],
  announced: [opening, open, closing, closed, frozen],
  claimed: ['-', open, closing, closed, frozen],
}

const statuses = [opening, open, closing, closed, frozen]

describe('the states of a channel', () => {
  const cases = Object.entries(edges).flatMap(([event, row]) =>
    statuses.map((status, index) => ({ status, event, expected: row[index] ?? '-' })),
  )
  test.each(cases)('$status: $event leads to $expected', ({ status, event, expected }) => {
    const change = events[event]
    if (change === undefined) throw new Error(`${event} is not an event`)
    const next = (): ChannelRecord => transitionChannel(samples[status], change)
    if (expected === '-') return expect(next).toThrow(TransitionError)
    expect(next().status).toBe(expected)
    expect(next().version).toBe(samples[status].version + 1)
  })
})

describe('the amounts of a channel', () => {
  test('a call may end at its ceiling and not above it', () => {
    const serving = after(channelEvents.deposited(10_000n), held)
    const ending = (cost: bigint): AnyEvent => ({ ...charged, cost: atomicUsdc(cost) })
    expect(transitionChannel(serving, ending(1_000n)).charged).toBe(1_000n)
    for (const cost of [-1n, 1_001n]) {
      expect(() => transitionChannel(serving, ending(cost))).toThrow(TransitionError)
    }
    expect(() => transitionChannel(samples.open, charged)).toThrow(TransitionError)
  })

  test('a voucher and the escrow must both cover what is charged, in flight and asked for', () => {
    const channel = after(channelEvents.deposited(10_000n), held)
    const admits = (amount: bigint, max: bigint): boolean =>
      admitsCall(channel, { amount: atomicUsdc(amount), max: atomicUsdc(max) })
    expect([admits(4_000n, 1n), admits(4_001n, 1n)]).toEqual([true, false])
    expect([admits(9_000n, 10_000n), admits(9_000n, 9_999n)]).toEqual([true, false])
    expect(admits(9_001n, 20_000n)).toBe(false)
  })

  test('what a withdrawal took before it was claimed is uncovered', () => {
    const channel = transitionChannel(samples.open, channelEvents.returned('withdrawal', 9_900n))
    expect(channelAmounts(channel)).toEqual({
      claimed: 0n,
      claimable: 100n,
      held: 0n,
      refundable: 0n,
      returned: 9_900n,
      uncovered: 300n,
    })
  })

  test('a movement within the escrow takes all that is left, and no unit more', () => {
    const withdrawn = transitionChannel(samples.open, channelEvents.returned('withdrawal', 9_900n))
    const within = (event: AnyEvent): AnyEvent => ({ ...event, within: 'escrow' }) as AnyEvent
    for (const moved of [
      (amount: bigint) => channelEvents.returned('refund', amount),
      (amount: bigint) => channelEvents.returned('withdrawal', amount),
      (amount: bigint) => channelEvents.claimed(amount),
    ]) {
      const { deposited, returned, claimed } = transitionChannel(withdrawn, within(moved(100n)))
      expect(deposited - returned - claimed).toBe(0n)
      expect(() => transitionChannel(withdrawn, within(moved(101n)))).toThrow(TransitionError)
      expect(() => transitionChannel(withdrawn, moved(101n))).not.toThrow()
    }
    const claimed = transitionChannel(withdrawn, channelEvents.claimed(60n))
    expect(() => transitionChannel(claimed, within(channelEvents.claimed(41n)))).toThrow(
      TransitionError,
    )
  })

  test('a loss takes back no more than there was', () => {
    const losses: readonly AnyEvent[] = [
      { type: 'deposit_lost', amount: atomicUsdc(10_001n), at: start },
      { type: 'claim_lost', amount: atomicUsdc(1n), proof: proof(1), at: start },
      lostRefund,
      { type: 'released', ceiling: atomicUsdc(1n), at: start },
    ]
    for (const loss of losses) {
      expect(() => transitionChannel(samples.open, loss)).toThrow(TransitionError)
    }
  })

  test('amounts of one unit are accepted, and zero is not', () => {
    const serving = after(channelEvents.deposited(10_000n), held)
    const ofAmount = (amount: bigint): readonly AnyEvent[] => [
      channelEvents.deposited(amount),
      { type: 'deposit_lost', amount: atomicUsdc(amount), at: start },
      { ...held, amount: atomicUsdc(amount) },
      { type: 'released', ceiling: atomicUsdc(amount), at: start },
      channelEvents.returned('refund', amount),
    ]
    for (const event of ofAmount(0n)) {
      expect(() => transitionChannel(serving, event)).toThrow(TransitionError)
    }
    const claim = (amount: bigint): ChannelRecord =>
      transitionChannel(samples.open, channelEvents.claimed(amount))
    expect(() => claim(0n)).toThrow(TransitionError)
    expect(claim(1n).claimed).toBe(1n)
    const versions = ofAmount(1n).map((event) => transitionChannel(serving, event).version)
    expect(new Set(versions)).toEqual(new Set([serving.version + 1]))
  })

  test('the first voucher of an amount is kept', () => {
    const again = { ...held, voucher: { ...voucher(5_000n), signature: voucher(1n).signature } }
    const channel = after(channelEvents.deposited(10_000n), held, again)
    expect([channel.signed, channel.signature]).toEqual([5_000n, voucher(5_000n).signature])
  })

  test('what is charged waits to be claimed from the first unit on', () => {
    const ending = (cost: bigint): AnyEvent => ({ ...charged, cost: atomicUsdc(cost) })
    const since = (cost: bigint): number | null =>
      after(channelEvents.deposited(10_000n), held, ending(cost)).unclaimedSince
    expect([since(0n), since(1n)]).toEqual([null, start + 2])
  })

  test('a channel is closed once a refund leaves only what calls in flight may cost', () => {
    const closing = after(channelEvents.deposited(10_000n), held, channelEvents.closing)
    const statusAfter = (refund: bigint): ChannelStatus =>
      transitionChannel(closing, channelEvents.returned('refund', refund)).status
    expect([statusAfter(8_999n), statusAfter(9_000n)]).toEqual(['open', 'closed'])
  })

  test('what was returned covers no call', () => {
    const channel = transitionChannel(samples.open, channelEvents.returned('refund', 5_000n))
    const admits = (amount: bigint): boolean =>
      admitsCall(channel, { amount: atomicUsdc(amount), max: atomicUsdc(20_000n) })
    expect([admits(4_600n), admits(4_601n)]).toEqual([true, false])
  })

  test('what is charged is covered before calls in flight are', () => {
    const serving = transitionChannel(samples.open, held)
    const coverAfter = (withdrawal: bigint): readonly bigint[] => {
      const withdrawn = channelEvents.returned('withdrawal', withdrawal)
      const amounts = channelAmounts(transitionChannel(serving, withdrawn))
      return [amounts.claimable, amounts.held, amounts.uncovered]
    }
    expect(coverAfter(9_000n)).toEqual([400n, 600n, 400n])
    expect(coverAfter(9_600n)).toEqual([400n, 0n, 1_000n])
  })

  test('the block up to which events were read never falls', () => {
    expect(after(channelEvents.seen, channelEvents.seen).seenBlock).toBe(120)
    const earlier: AnyEvent = { type: 'seen', block: 119, at: start }
    expect(() => after(channelEvents.seen, earlier)).toThrow(TransitionError)
  })

  test('the refund nonce never falls', () => {
    const usedUpTo = (refundNonce: bigint): AnyEvent =>
      ({ ...channelEvents.nonceUsed, refundNonce }) as AnyEvent
    expect(after(usedUpTo(2n), usedUpTo(2n)).refundNonce).toBe(2n)
    expect(() => after(usedUpTo(2n), usedUpTo(1n))).toThrow(TransitionError)
  })

  test('updatedAt and lastCallAt never decrease', () => {
    const late = after(channelEvents.deposited(10_000n), { ...held, at: start + 9_000 })
    const next = transitionChannel(late, held)
    expect([next.updatedAt, next.lastCallAt]).toEqual([start + 9_000, start + 9_000])
  })
})
