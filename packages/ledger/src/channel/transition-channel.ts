import { atomicUsdc, subtract, sum, type Usdc } from '@farebox/money'
import { TransitionError } from '../payment/transition-error.ts'
import { admitsCall } from './admits-call.ts'
import type { ChannelEvent, ChannelPaymentEvent } from './channel-event.ts'
import type { ChannelRecord, ChannelStatus } from './channel-record.ts'
import { escrowOf } from './escrow-of.ts'

/**
 * A channel after an event: the whole state machine. Facts of the chain are accepted in every state;
 * a call is held only by an open channel that covers it.
 *
 * @throws {TransitionError} `invalid_transition` if the event is not allowed in that state, or if its
 * amounts do not fit the channel's: a claim beyond what was charged, a loss of more than there was, a
 * movement `within` the escrow of more than is left.
 */
export function transitionChannel(
  channel: ChannelRecord,
  event: ChannelEvent | ChannelPaymentEvent,
): ChannelRecord {
  const changes = changesOf(channel, event)
  if (changes === null) throw new TransitionError(subjectOf(channel), event.type)
  return {
    ...channel,
    ...changes,
    version: channel.version + 1,
    updatedAt: Math.max(channel.updatedAt, event.at),
  }
}

type AnyEvent = ChannelEvent | ChannelPaymentEvent
type Of<Type extends AnyEvent['type']> = Extract<AnyEvent, { readonly type: Type }>
type Changes = Partial<ChannelRecord> | null

function changesOf(channel: ChannelRecord, event: AnyEvent): Changes {
  switch (event.type) {
    case 'deposit_proven':
    case 'deposit_lost':
      return deposited(channel, event)
    case 'held':
    case 'charged':
    case 'released':
      return afterCall(channel, event)
    case 'claim_proven':
      return claimProven(channel, event)
    case 'claim_lost':
      return claimLost(channel, event)
    case 'returned':
      return returned(channel, event)
    case 'return_lost':
      return returnLost(channel, event)
    case 'withdraw_announced':
      return { withdrawAt: event.withdrawAt }
    case 'withdraw_cleared':
      return { withdrawAt: null }
    case 'closing':
      return channel.status === 'open' ? { status: 'closing' } : null
    case 'nonce_used':
      return nonceUsed(channel, event)
    case 'frozen':
      return channel.status === 'frozen' ? null : { status: 'frozen', reason: event.reason }
    case 'seen':
      return event.block < channel.seenBlock ? null : { seenBlock: event.block }
  }
}

function deposited(
  channel: ChannelRecord,
  { type, amount }: Of<'deposit_proven'> | Of<'deposit_lost'>,
): Changes {
  if (amount <= 0n) return null
  if (type === 'deposit_lost') return taken(channel, 'deposited', amount)
  const opens = channel.status === 'opening' || channel.status === 'closed'
  const status: ChannelStatus = opens ? 'open' : channel.status
  return { deposited: sum([channel.deposited, amount]), status }
}

function afterCall(
  channel: ChannelRecord,
  event: Of<'held'> | Of<'charged'> | Of<'released'>,
): Changes {
  switch (event.type) {
    case 'held':
      return held(channel, event)
    case 'charged':
      return charged(channel, event)
    case 'released':
      return taken(channel, 'reserved', event.ceiling)
  }
}

function held(channel: ChannelRecord, { amount, voucher, digest, at }: Of<'held'>): Changes {
  const { max, signature } = voucher
  if (amount <= 0n || !admitsCall(channel, { amount, max })) return null
  const { turn } = channel
  return {
    reserved: sum([channel.reserved, amount]),
    ...(max > channel.signed && { signed: max, signature }),
    turn: turn?.digest === digest && turn.max === max ? null : turn,
    lastCallAt: Math.max(channel.lastCallAt, at),
  }
}

function charged(channel: ChannelRecord, { ceiling, cost, at }: Of<'charged'>): Changes {
  if (cost < 0n || cost > ceiling || ceiling > channel.reserved) return null
  return {
    reserved: subtract(channel.reserved, ceiling),
    charged: sum([channel.charged, cost]),
    unclaimedSince: cost > 0n ? (channel.unclaimedSince ?? at) : channel.unclaimedSince,
  }
}

/** What remains after a claim was charged after the claim was prepared. */
function claimProven(channel: ChannelRecord, event: Of<'claim_proven'>): Changes {
  const { amount, at } = event
  const total = sum([channel.claimed, amount])
  if (amount <= 0n || total > channel.charged || isBeyondEscrow(channel, event)) return null
  return { claimed: total, unclaimedSince: total === channel.charged ? null : at }
}

function claimLost(channel: ChannelRecord, { amount, at }: Of<'claim_lost'>): Changes {
  const changes = taken(channel, 'claimed', amount)
  return changes && { ...changes, unclaimedSince: channel.unclaimedSince ?? at }
}

function isBeyondEscrow(
  channel: ChannelRecord,
  { amount, within }: Of<'claim_proven'> | Of<'returned'>,
): boolean {
  return within === 'escrow' && amount > escrowOf(channel)
}

function returned(channel: ChannelRecord, event: Of<'returned'>): Changes {
  const { by, amount } = event
  if (amount <= 0n || isBeyondEscrow(channel, event)) return null
  const sums = { returned: sum([channel.returned, amount]) }
  if (by === 'withdrawal') return { ...sums, withdrawAt: null }
  const rest = channel.deposited - sums.returned - channel.charged - channel.reserved
  const ended: ChannelStatus = rest > 0n ? 'open' : 'closed'
  const status = channel.status === 'closing' ? ended : channel.status
  return { ...sums, status, refundNonce: channel.refundNonce + 1n }
}

/** A vanished refund or withdrawal can be executed again at once. */
function returnLost(channel: ChannelRecord, { by, amount, at }: Of<'return_lost'>): Changes {
  const changes = taken(channel, 'returned', amount)
  if (changes === null) return null
  if (by === 'withdrawal') return { ...changes, withdrawAt: Math.floor(at / 1000) }
  const stays = channel.status === 'frozen'
  const status: ChannelStatus = stays ? 'frozen' : 'closing'
  return { ...changes, status, refundNonce: channel.refundNonce - 1n }
}

function nonceUsed(
  { status, refundNonce: known }: ChannelRecord,
  { refundNonce }: Of<'nonce_used'>,
): Changes {
  if (refundNonce < known) return null
  return { status: status === 'closing' ? 'open' : status, refundNonce }
}

function taken(
  channel: ChannelRecord,
  name: 'deposited' | 'returned' | 'claimed' | 'reserved',
  amount: Usdc,
): Changes {
  const left = channel[name] - amount
  return amount <= 0n || left < 0n ? null : { [name]: atomicUsdc(left) }
}

function subjectOf({ id, status }: ChannelRecord): {
  readonly id: string
  readonly status: string
} {
  return { id: `channel ${id}`, status }
}
