import { atomicUsdc, type Usdc } from '@farebox/money'
import { admitsCall } from '../../channel/admits-call.ts'
import {
  type AmountsAtRisk,
  type CallLimits,
  isBeyondChannel,
  reachedLimit,
} from '../../channel/call-limits.ts'
import type { ChannelEvent } from '../../channel/channel-event.ts'
import { movementOf } from '../../channel/channel-movement.ts'
import type {
  ChannelRecord,
  ChannelTurn,
  NewChannel,
  Voucher,
} from '../../channel/channel-record.ts'
import { transitionChannel } from '../../channel/transition-channel.ts'
import { LedgerError, type OnCorruptRow } from '../../payment/ledger-error.ts'
import type { Hex, PaymentRecord } from '../../payment/payment-record.ts'
import {
  canonicalChannelId,
  claimedDeposit,
  type HeldCall,
  heldCall,
  openingChannel,
} from '../../store/channel-claims.ts'
import type {
  ChannelOutcome,
  ChannelsDue,
  ChannelTotals,
  DepositOutcome,
  HoldOutcome,
  PublishedVoucher,
} from '../../store/channel-store.ts'
import { type LeaseRequest, latestLease, type NewPayment } from '../../store/claim-outcome.ts'
import { holdEntries } from '../../transition/payment-change.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, onlyRowOf, rowsOf, type Values, writtenBy } from '../queries/query.ts'
import { channelColumns, channelIn } from '../rows/channel-row.ts'
import { paymentColumns, paymentIn } from '../rows/payment-row.ts'
import * as read from '../rows/read-row.ts'
import { recordable, recordMovement } from './movement-operations.ts'
import { readable } from './paged.ts'
import {
  byColumns,
  findTaken,
  insertWithin,
  leaseValues,
  load,
  throwDuplicate,
  writeEntries,
} from './payment-operations.ts'
import { lockChannel, writeChannel } from './write-to-channel.ts'

export type DepositClaim = {
  readonly deposit: NewPayment
  readonly channel: NewChannel
  readonly balance: bigint | undefined
}

/** The channel follows its deposit, so that only a claim inserts one. */
export function* claimDeposit(
  queries: Queries,
  { deposit, channel: newChannel, balance }: DepositClaim,
): Operation<DepositOutcome> {
  const { payment, channel } = claimedDeposit(deposit, newChannel)
  const inserted =
    balance === undefined
      ? (yield* writtenBy(queries.insertPayment, paymentColumns(payment))) > 0
      : yield* insertWithin(queries, payment, balance)
  if (!inserted) return yield* unclaimed(queries, payment)
  yield* rowsOf(queries.insertChannel, channelColumns(channel))
  return { status: 'claimed', payment }
}

function* unclaimed(queries: Queries, payment: PaymentRecord): Operation<DepositOutcome> {
  const taken = yield* findTaken(queries, payment)
  if (taken !== undefined) return taken
  const [row] = yield* rowsOf(queries.depositInFlight, { channel_id: payment.channelId })
  if (row !== undefined) return { status: 'deposit_pending', payment: paymentIn(row) }
  const sameId = yield* load(queries, payment.id)
  return sameId === undefined ? { status: 'beyond_balance' } : throwDuplicate(payment)
}

export function* openChannel(queries: Queries, channel: NewChannel): Operation<ChannelRecord> {
  const opening = openingChannel(channel)
  const inserted = yield* rowsOf(queries.insertChannel, channelColumns(opening))
  if (inserted.length > 0) return opening
  const known = yield* loadChannel(queries, opening.id)
  if (known !== undefined) return known
  throw new LedgerError('store_unavailable', `channel ${opening.id} was deleted meanwhile`)
}

export function* loadChannel(queries: Queries, id: Hex): Operation<ChannelRecord | undefined> {
  const [row] = yield* rowsOf(queries.channel, { id: canonicalChannelId(id) })
  return row && channelIn(row)
}

export type CallHold = {
  readonly call: NewPayment
  readonly voucher: Voucher
  readonly limits: CallLimits
}

/** The update admits the call, so that concurrent calls cannot exceed the channel together. */
export function* holdCall(
  queries: Queries,
  { call, voucher: signed, limits }: CallHold,
): Operation<HoldOutcome> {
  const held = heldCall(call, signed)
  const { payment, channelId: id, voucher, claim } = held
  const { amount } = claim
  const beyond = { limits, reached: yield* reachedInAll(queries, held, limits) }
  if (beyond.reached !== null) return yield* notHeld(queries, held, beyond)
  const values = { id, ...voucher, amount, at: BigInt(payment.createdAt) }
  const [row] = yield* rowsOf(queries.holdChannel, {
    ...values,
    digest: payment.requestDigest,
    most: limits.ofChannel,
  })
  if (row === undefined) return yield* notHeld(queries, held, beyond)
  const used = yield* writtenBy(queries.useVoucher, {
    channel_seq: read.amount(row, 'seq'),
    ...voucher,
    payment_id: payment.id,
    free: 0n,
    published: 0n,
  })
  if (used === 0) return yield* releaseTaken(queries, held, beyond)
  const inserted = yield* writtenBy(queries.insertPayment, paymentColumns(payment))
  if (inserted === 0) throwDuplicate(payment)
  yield* writeEntries(queries, { entries: holdEntries(payment) })
  return { status: 'held', payment, channel: channelIn(row) }
}

/** Transactions that read this run one after the other, so that each sees those before it. */
function* reachedInAll(
  queries: Queries,
  { claim, payment }: HeldCall,
  { inAll }: CallLimits,
): Operation<ReturnType<typeof reachedLimit>> {
  if (inAll === null) return null
  if (queries.lockUnclaimed !== null) yield* rowsOf(queries.lockUnclaimed)
  const atRisk = yield* channelsAtRisk(queries, payment.authorization.from)
  return reachedLimit(atRisk, claim.amount, inAll)
}

export function* channelsAtRisk(queries: Queries, payer: Hex): Operation<AmountsAtRisk> {
  const row = yield* onlyRowOf(queries.channelsAtRisk, { payer: payer.toLowerCase() })
  return {
    inAll: read.amount(row, 'in_all'),
    ofPayer: read.amount(row, 'of_payer'),
    claimedOfPayer: read.amount(row, 'claimed_of_payer'),
  }
}

type Beyond = { readonly limits: CallLimits; readonly reached: ReturnType<typeof reachedLimit> }

function* notHeld(
  queries: Queries,
  { channelId, voucher, claim }: HeldCall,
  { limits, reached }: Beyond,
): Operation<HoldOutcome> {
  const channel = yield* loadChannel(queries, channelId)
  if (channel === undefined) return { status: 'no_channel' }
  const payment = yield* findCall(queries, channelId, voucher.max)
  if (payment !== undefined) return { status: 'taken', payment, channel }
  if (!admitsCall(channel, claim)) return { status: 'misfit', channel }
  if (isBeyondChannel(channel, claim.amount, limits)) {
    return { status: 'limit_reached', channel, limit: 'of_channel' }
  }
  return reached === null
    ? { status: 'misfit', channel }
    : { status: 'limit_reached', channel, limit: reached }
}

/** Another call used the voucher while this one waited for the channel, which saw it too late. */
function* releaseTaken(queries: Queries, held: HeldCall, beyond: Beyond): Operation<HoldOutcome> {
  const { channelId: id, claim, payment } = held
  const at = BigInt(payment.createdAt)
  yield* rowsOf(queries.endCall, { id, ceiling: claim.amount, cost: 0n, at })
  return yield* notHeld(queries, held, beyond)
}

export function* findCall(
  queries: Queries,
  id: Hex,
  max: Usdc,
): Operation<PaymentRecord | undefined> {
  const [row] = yield* rowsOf(queries.callOf, { id: canonicalChannelId(id), max })
  return row && paymentIn(row)
}

export function* unusedBase(
  queries: Queries,
  channelId: Hex,
  { from, ceiling }: { readonly from: Usdc; readonly ceiling: Usdc },
): Operation<Usdc> {
  const values = { id: canonicalChannelId(channelId), max: from + ceiling }
  if ((yield* rowsOf(queries.callOf, values)).length === 0) return from
  const [row] = yield* rowsOf(queries.unusedMax, values)
  return row === undefined ? from : atomicUsdc(read.amount(row, 'max') - ceiling)
}

export function* applyToChannel(
  queries: Queries,
  id: Hex,
  event: ChannelEvent,
): Operation<ChannelOutcome> {
  const channel = yield* lockChannel(queries, canonicalChannelId(id))
  const movement = movementOf(channel, event)
  if (movement === null) {
    const next = transitionChannel(channel, event)
    return { status: 'applied', channel: yield* writeChannel(queries, channel, next) }
  }
  const left = yield* recordable(queries, movement)
  if (left === null) return { status: 'known', channel }
  const { amount } = left.movement
  const applied = 'amount' in event ? { ...event, amount } : event
  const next = transitionChannel(channel, applied)
  if (!(yield* recordMovement(queries, left))) return { status: 'known', channel }
  return { status: 'applied', channel: yield* writeChannel(queries, channel, next) }
}

export function* takeTurn(
  queries: Queries,
  { id, version }: Pick<ChannelRecord, 'id' | 'version'>,
  { turn, now }: { readonly turn: ChannelTurn; readonly now: number },
): Operation<ChannelRecord | undefined> {
  const { digest, max, until } = turn
  const times = { until: BigInt(until), now: BigInt(now) }
  const values = { version: BigInt(version), digest, max, ...times }
  const [row] = yield* rowsOf(queries.takeTurn, { ...values, id: canonicalChannelId(id) })
  return row && channelIn(row)
}

export function* publishVoucher(
  queries: Queries,
  channelId: Hex,
  from?: Usdc,
): Operation<PublishedVoucher | undefined> {
  const channel = yield* lockChannel(queries, canonicalChannelId(channelId))
  const { id, charged, claimed } = channel
  if (from === undefined && charged <= claimed) return undefined
  const [row] = yield* rowsOf(queries.smallestVoucher, { id, from: from ?? charged })
  if (row === undefined) throw new LedgerError('not_found', `channel ${id} has no voucher`)
  const max = atomicUsdc(read.amount(row, 'max'))
  yield* rowsOf(queries.publishVoucher, { channel_seq: read.amount(row, 'channel_seq'), max })
  return { channel, voucher: { max, signature: read.hex(row, 'signature') } }
}

export function* leaseChannel(
  queries: Queries,
  id: Hex,
  request: Omit<LeaseRequest, 'limit'>,
): Operation<ChannelRecord | undefined> {
  const values = { id: canonicalChannelId(id), ...leaseValues(request) }
  const [row] = yield* rowsOf(queries.leaseChannel, values)
  return row && channelIn(row)
}

const urgency = {
  claim: 'unclaimed_since',
  withdrawal: 'withdraw_at',
  refund: 'last_call_at',
  close: 'last_call_at',
} as const satisfies Record<ChannelsDue['due'], string>

export type ChannelLeases = {
  readonly due: ChannelsDue
  readonly request: LeaseRequest
  readonly onCorrupt: OnCorruptRow | undefined
}

export function* leaseChannels(
  queries: Queries,
  { due, request, onCorrupt }: ChannelLeases,
): Operation<readonly ChannelRecord[]> {
  const [limit, latest] = [BigInt(request.limit), BigInt(latestLease(request))]
  const values: Values = { ...leaseValues(request), limit, latest }
  const rows = yield* rowsOf(queries[`leaseChannels_${due.due}`], { ...values, ...dueValues(due) })
  return readable(rows.toSorted(byColumns(urgency[due.due], 'seq')), channelIn, onCorrupt)
}

function dueValues(due: ChannelsDue): Values {
  return 'above' in due ? { above: due.above, before: BigInt(due.before) } : {}
}

export function* channelTotals(queries: Queries): Operation<ChannelTotals> {
  const row = yield* onlyRowOf(queries.channelTotals)
  return {
    channels: read.whole(row, 'channels'),
    deposited: read.amount(row, 'deposited'),
    returned: read.amount(row, 'returned'),
    charged: read.amount(row, 'charged'),
    reserved: read.amount(row, 'reserved'),
    claimed: read.amount(row, 'claimed'),
    claimable: read.amount(row, 'claimable'),
    frozen: read.whole(row, 'frozen'),
    unsettled: read.amount(row, 'unsettled'),
  }
}
