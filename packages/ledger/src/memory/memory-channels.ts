import { atomicUsdc, subtract, sum, type Usdc } from '@farebox/money'
import { admitsCall } from '../channel/admits-call.ts'
import {
  type AmountsAtRisk,
  type CallLimits,
  isBeyondChannel,
  noLimits,
  reachedLimit,
} from '../channel/call-limits.ts'
import { channelAmounts } from '../channel/channel-amounts.ts'
import type { ChannelEvent } from '../channel/channel-event.ts'
import {
  type BookedMovement,
  type ChannelMovement,
  isUnbooked,
  movementEntries,
  movementOf,
} from '../channel/channel-movement.ts'
import type { ChannelRecord, ChannelTurn, NewChannel, Voucher } from '../channel/channel-record.ts'
import { escrowOf } from '../channel/escrow-of.ts'
import { isAwaitedByAnother } from '../channel/is-awaited-by-another.ts'
import { transitionChannel } from '../channel/transition-channel.ts'
import { isUndecided } from '../payment/is-undecided.ts'
import { LedgerError } from '../payment/ledger-error.ts'
import type { Hex, PaymentRecord } from '../payment/payment-record.ts'
import {
  canonicalChannelId,
  claimedDeposit,
  heldCall,
  openingChannel,
} from '../store/channel-claims.ts'
import type {
  ChannelOutcome,
  ChannelStore,
  ChannelsDue,
  ChannelTotals,
  DepositOutcome,
  HoldOutcome,
  PublishedVoucher,
  SettleEvent,
} from '../store/channel-store.ts'
import { type LeaseRequest, latestLease, type NewPayment } from '../store/claim-outcome.ts'
import { holdEntries } from '../transition/payment-change.ts'
import type { Around } from './around.ts'
import { isSameLog, isSameTransfer, lost, mustHaveChannel, standing } from './channel-writes.ts'
import { compared } from './compared.ts'
import { eachOf } from './each-of.ts'
import { type ChannelUse, type MemoryDisk, useText } from './memory-disk.ts'
import { findTaken, isBeyond, isFree, leaseOf, mustBeNewId } from './memory-operations.ts'

/** Payment channels over a disk in memory. */
export function memoryChannels(disk: MemoryDisk, around: Around): ChannelStore {
  return {
    claimDeposit: (deposit, channel, balance) =>
      around(() => claimDeposit(disk, { deposit, channel, balance })),
    openChannel: (channel) => around(() => openChannel(disk, channel)),
    loadChannel: (id) => around(() => disk.channels.get(canonicalChannelId(id))),
    holdCall: (call, voucher, limits) => around(() => holdCall(disk, call, { voucher, limits })),
    findCall: (id, max) => around(() => usedBy(disk, canonicalChannelId(id), max)),
    unusedBase: (id, from, ceiling) =>
      around(() => unusedBase(disk, canonicalChannelId(id), { from, ceiling })),
    applyToChannel: ({ id }, event) => around(() => applyToChannel(disk, id, event)),
    takeTurn: (channel, turn, now) => around(() => takeTurn(disk, channel, { turn, now })),
    publishVoucher: (id, from) => around(() => publishVoucher(disk, id, from)),
    leaseChannel: (id, lease) => around(() => leaseChannel(disk, id, lease)),
    leaseChannels: (due, request) => around(() => leaseChannels(disk, due, request)),
    recordSettle: (event) => around(() => recordSettle(disk, event)),
    channelMovements: (search) => around(() => channelMovements(disk, search)),
    channelTotals: () => around(() => channelTotals(disk)),
    channelsAtRisk: (payer) => around(() => channelsAtRisk(disk, payer)),
    exportChannels: () => eachOf(around, () => [...disk.channels.values()]),
    exportMovements: () => eachOf(around, () => [...disk.movements.values()]),
  }
}

type DepositClaim = {
  readonly deposit: NewPayment
  readonly channel: NewChannel
  readonly balance: bigint | undefined
}

function claimDeposit(
  disk: MemoryDisk,
  { deposit, channel: newChannel, balance }: DepositClaim,
): DepositOutcome {
  const { payment, channel } = claimedDeposit(deposit, newChannel)
  const taken = findTaken(disk, payment)
  if (taken !== undefined) return { status: 'taken', payment: taken }
  const pending = depositInFlight(disk, channel.id)
  if (pending !== undefined) return { status: 'deposit_pending', payment: pending }
  mustBeNewId(disk, payment)
  if (balance !== undefined && isBeyond(disk, payment, balance)) return { status: 'beyond_balance' }
  disk.commit({
    changes: [{ payment, entries: [] }],
    channels: disk.channels.has(channel.id) ? [] : [channel],
  })
  return { status: 'claimed', payment }
}

function depositInFlight(disk: MemoryDisk, id: Hex): PaymentRecord | undefined {
  return [...disk.unfinished]
    .flatMap((paymentId) => disk.payments.get(paymentId) ?? [])
    .find(
      (payment) =>
        payment.kind === 'channel_deposit' && payment.channelId === id && isUndecided(payment),
    )
}

function openChannel(disk: MemoryDisk, channel: NewChannel): ChannelRecord {
  const opening = openingChannel(channel)
  const known = disk.channels.get(opening.id)
  if (known !== undefined) return known
  disk.commit({ channels: [opening] })
  return opening
}

type HoldTerms = { readonly voucher: Voucher; readonly limits: CallLimits | undefined }

function holdCall(
  disk: MemoryDisk,
  call: NewPayment,
  { voucher: signed, limits = noLimits }: HoldTerms,
): HoldOutcome {
  const { payment, channelId, voucher, claim } = heldCall(call, signed)
  const channel = disk.channels.get(channelId)
  if (channel === undefined) return { status: 'no_channel' }
  const taken = usedBy(disk, channelId, voucher.max)
  if (taken !== undefined) return { status: 'taken', payment: taken, channel }
  if (!admitsCall(channel, claim) || isAwaitedByAnother(channel, payment, claim)) {
    return { status: 'misfit', channel }
  }
  const limit = limitReached(disk, channel, { ...limits, amount: claim.amount })
  if (limit !== null) return { status: 'limit_reached', channel, limit }
  mustBeNewId(disk, payment)
  if (findTaken(disk, payment) !== undefined) throwDuplicate(payment)
  const { amount } = claim
  const { requestDigest: digest, createdAt: at } = payment
  const held = transitionChannel(channel, { type: 'held', amount, voucher, digest, at })
  disk.commit({
    changes: [{ payment, entries: holdEntries(payment) }],
    channels: [held],
    channelUses: [{ channelId, voucher, paymentId: payment.id, free: false, published: false }],
  })
  return { status: 'held', payment, channel: held }
}

function limitReached(
  disk: MemoryDisk,
  channel: ChannelRecord,
  { amount, ofChannel, inAll }: CallLimits & { readonly amount: Usdc },
): 'of_channel' | 'of_payer' | 'in_all' | null {
  if (isBeyondChannel(channel, amount, { ofChannel })) return 'of_channel'
  return inAll && reachedLimit(channelsAtRisk(disk, channel.config.payer), amount, inAll)
}

function channelsAtRisk(disk: MemoryDisk, payer: Hex): AmountsAtRisk {
  const live = [...disk.channels.values()].filter(({ status }) => status !== 'closed')
  const own = live.filter(({ config }) => config.payer === payer.toLowerCase())
  const atRisk = (channels: readonly ChannelRecord[]): bigint =>
    sum(channels.flatMap((channel) => [channelAmounts(channel).claimable, channel.reserved]))
  return {
    inAll: atRisk(live),
    ofPayer: atRisk(own),
    claimedOfPayer: sum(own.map(({ claimed }) => claimed)),
  }
}

function throwDuplicate({ id }: PaymentRecord): never {
  throw new LedgerError('duplicate_id', `the nonce of ${id} belongs to another payment`)
}

function usedBy(disk: MemoryDisk, channelId: Hex, max: Usdc): PaymentRecord | undefined {
  const use = disk.channelUses.get(useText(channelId, { max }))
  return use === undefined || use.free ? undefined : disk.payments.get(use.paymentId)
}

function unusedBase(
  disk: MemoryDisk,
  channelId: Hex,
  { from, ceiling }: { readonly from: Usdc; readonly ceiling: Usdc },
): Usdc {
  let max = sum([from, ceiling])
  while (usedBy(disk, channelId, max) !== undefined) max = atomicUsdc(max + 1n)
  return subtract(max, ceiling)
}

function applyToChannel(disk: MemoryDisk, id: Hex, event: ChannelEvent): ChannelOutcome {
  const channel = mustHaveChannel(disk, canonicalChannelId(id))
  const movement = movementOf(channel, event)
  if (movement === null) {
    const next = transitionChannel(channel, event)
    disk.commit({ channels: [next] })
    return { status: 'applied', channel: next }
  }
  const recorded = movement.lost ? takenBack(disk, movement) : newlyBooked(disk, movement)
  if (recorded === null) return { status: 'known', channel }
  const { amount } = recorded[1].movement
  const next = transitionChannel(channel, 'amount' in event ? { ...event, amount } : event)
  disk.commit({ channels: [next], movements: [recorded] })
  return { status: 'applied', channel: next }
}

type Recorded = readonly [number, BookedMovement]

/** Null if it is booked already, as a movement or as a payment's deposit. */
function newlyBooked(disk: MemoryDisk, movement: ChannelMovement): Recorded | null {
  const known = standing(disk, movement.proof).map(([, booked]) => booked.movement)
  if (!isUnbooked(movement, known)) return null
  const isPaid = [...disk.payments.values()].some(
    ({ kind, settlement }) =>
      kind === 'channel_deposit' &&
      settlement !== null &&
      isSameTransfer(settlement, movement.proof),
  )
  if (movement.kind === 'deposit' && isPaid) return null
  return [disk.movements.size, { movement, entries: movementEntries(movement) }]
}

/** Null if it was taken back before. */
function takenBack(disk: MemoryDisk, loss: ChannelMovement): Recorded | null {
  const known = standing(disk, loss.proof).find(([, { movement }]) =>
    isSameLog(movement.proof, loss.proof),
  )
  if (known !== undefined && isSameMovement(known[1].movement, loss)) {
    // The same transaction may be booked again from another block meanwhile.
    const isSameBlock = known[1].movement.proof.blockHash === loss.proof.blockHash
    return isSameBlock ? [known[0], lost(known[1], loss.at)] : null
  }
  const wasLost = [...disk.movements.values()].some(
    ({ movement }) => isSameLog(movement.proof, loss.proof) && isSameMovement(movement, loss),
  )
  if (wasLost) return null
  const { transaction, logIndex } = loss.proof
  throw new LedgerError('not_found', `no movement is proven by log ${logIndex} of ${transaction}`)
}

function isSameMovement(a: ChannelMovement, b: ChannelMovement): boolean {
  return a.kind === b.kind && a.channelId === b.channelId
}

function recordSettle(disk: MemoryDisk, event: SettleEvent): 'recorded' | 'known' {
  const { type, ...rest } = event
  const isLost = type === 'settle_lost'
  const movement = { ...rest, kind: 'settle', channelId: null, lost: isLost } as const
  const recorded = isLost ? takenBack(disk, movement) : newlyBooked(disk, movement)
  if (recorded === null) return 'known'
  disk.commit({ movements: [recorded] })
  return 'recorded'
}

function takeTurn(
  disk: MemoryDisk,
  { id, version }: Pick<ChannelRecord, 'id' | 'version'>,
  { turn, now }: { readonly turn: ChannelTurn; readonly now: number },
): ChannelRecord | undefined {
  const channel = disk.channels.get(canonicalChannelId(id))
  if (channel === undefined || channel.version !== version) return undefined
  const { turn: held } = channel
  if (held !== null && held.until > now && held.digest !== turn.digest) return undefined
  const next = { ...channel, turn }
  disk.commit({ channels: [next] })
  return next
}

function publishVoucher(disk: MemoryDisk, id: Hex, from?: Usdc): PublishedVoucher | undefined {
  const channel = mustHaveChannel(disk, canonicalChannelId(id))
  const { charged, claimed } = channel
  if (from === undefined && charged <= claimed) return undefined
  const [use] = [...disk.channelUses.values()]
    .filter(
      ({ channelId, voucher }) => channelId === channel.id && voucher.max >= (from ?? charged),
    )
    .toSorted((a, b) => compared(a.voucher.max, b.voucher.max))
  if (use === undefined) throw new LedgerError('not_found', `channel ${id} has no voucher`)
  const published: ChannelUse = { ...use, free: false, published: true }
  disk.commit({ channelUses: [published] })
  return { channel, voucher: use.voucher }
}

function leaseChannel(
  disk: MemoryDisk,
  id: Hex,
  request: Omit<LeaseRequest, 'limit'>,
): ChannelRecord | undefined {
  const channel = disk.channels.get(canonicalChannelId(id))
  if (channel === undefined) return undefined
  if (!isFree(channel.lease, request.now) && channel.lease?.owner !== request.owner) {
    return undefined
  }
  const leased = { ...channel, lease: leaseOf(request) }
  disk.commit({ channels: [leased] })
  return leased
}

function leaseChannels(
  disk: MemoryDisk,
  due: ChannelsDue,
  request: LeaseRequest,
): readonly ChannelRecord[] {
  const free = [...disk.channels.values()]
    .filter((channel) => isFreeFor(request, channel) && isDue(channel, due))
    .toSorted((a, b) => compared(urgency(a, due), urgency(b, due)))
  const taken = new Set(
    free
      .toSorted((a, b) => compared(lastLeased(request, a), lastLeased(request, b)))
      .toSorted((a, b) => compared(isBehind(a, due), isBehind(b, due)))
      .slice(0, request.limit),
  )
  const leased = free
    .filter((channel) => taken.has(channel))
    .map((channel) => ({ ...channel, lease: leaseOf(request) }))
  disk.commit({ channels: leased })
  return leased
}

function isFreeFor(request: LeaseRequest, { lease }: ChannelRecord): boolean {
  return isFree(lease, request.now) || (lease?.until ?? 0) > latestLease(request)
}

/** A lease of a clock that was ahead says nothing about when the channel was last worked on. */
function lastLeased(request: LeaseRequest, { lease }: ChannelRecord): number {
  const until = lease?.until ?? 0
  return until > latestLease(request) ? 0 : until
}

function isBehind(channel: ChannelRecord, { due }: ChannelsDue): 0 | 1 {
  return due === 'withdrawal' && channelAmounts(channel).claimable === 0n ? 1 : 0
}

function isDue(channel: ChannelRecord, due: ChannelsDue): boolean {
  const { status, reserved, unclaimedSince, withdrawAt, lastCallAt } = channel
  const { claimable, refundable } = channelAmounts(channel)
  switch (due.due) {
    case 'claim':
      return (
        unclaimedSince !== null &&
        claimable > 0n &&
        (claimable > due.above || unclaimedSince <= due.before)
      )
    case 'withdrawal':
      return withdrawAt !== null
    case 'refund':
      return status === 'closing' && reserved === 0n
    case 'close':
      return (
        status === 'open' && reserved === 0n && lastCallAt <= due.before && refundable > due.above
      )
  }
}

function urgency({ unclaimedSince, withdrawAt, lastCallAt }: ChannelRecord, { due }: ChannelsDue) {
  if (due === 'claim') return unclaimedSince ?? 0
  return due === 'withdrawal' ? (withdrawAt ?? 0) : lastCallAt
}

function channelMovements(
  disk: MemoryDisk,
  { chainId, fromBlock }: { readonly chainId: number; readonly fromBlock: number },
): readonly ChannelMovement[] {
  return [...disk.movements.values()]
    .map(({ movement }) => movement)
    .filter(({ lost: isLost }) => !isLost)
    .filter((movement) => movement.chainId === chainId && movement.proof.block >= fromBlock)
    .toSorted(
      ({ proof: a }, { proof: b }) =>
        compared(a.block, b.block) || compared(a.logIndex, b.logIndex),
    )
}

export function channelTotals(disk: MemoryDisk): ChannelTotals {
  const live = [...disk.channels.values()].filter(({ status }) => status !== 'closed')
  const moved = [...disk.movements.values()]
    .map(({ movement }) => movement)
    .filter(({ lost: isLost }) => !isLost)
  const total = (kind: ChannelMovement['kind']): bigint =>
    sum(moved.filter((movement) => movement.kind === kind).map(({ amount }) => amount))
  return {
    channels: live.length,
    deposited: sum(live.map(({ deposited }) => deposited)),
    returned: sum(live.map(({ returned }) => returned)),
    charged: sum(live.map(({ charged }) => charged)),
    reserved: sum(live.map(({ reserved }) => reserved)),
    claimed: sum(live.map(({ claimed }) => claimed)),
    claimable: sum(live.map((channel) => channelAmounts(channel).claimable)),
    frozen: live.filter((one) => one.status === 'frozen' && escrowOf(one) > 0n).length,
    unsettled: total('claim') - total('settle'),
  }
}
