import type { ChannelPaymentEvent } from '../../channel/channel-event.ts'
import {
  type ChannelMovement,
  isDepositOf,
  movementEntries,
} from '../../channel/channel-movement.ts'
import { freesVoucher } from '../../channel/channel-of-payment.ts'
import type { ChannelRecord } from '../../channel/channel-record.ts'
import { transitionChannel } from '../../channel/transition-channel.ts'
import { LedgerError } from '../../payment/ledger-error.ts'
import type { Hex, PaymentRecord, TransferProof } from '../../payment/payment-record.ts'
import type { PaymentChange } from '../../transition/payment-change.ts'
import type { Queries } from '../queries/queries.ts'
import { type Operation, type Row, rowsOf, type Values } from '../queries/query.ts'
import {
  channelEntryColumns,
  channelIn,
  channelStateColumns,
  movementIn,
} from '../rows/channel-row.ts'
import * as read from '../rows/read-row.ts'

/** What a payment's change writes to its channel; undefined if it changes none. */
export function* writeToChannel(
  queries: Queries,
  change: PaymentChange,
): Operation<ChannelRecord | undefined> {
  const { payment, channelEvent } = change
  switch (channelEvent?.type) {
    case 'charged':
      return yield* endCall(queries, payment, channelEvent)
    case 'released':
      return yield* endCall(queries, payment, { ...channelEvent, cost: 0n })
    default:
      return yield* changeDeposit(queries, change)
  }
}

function* endCall(
  queries: Queries,
  payment: PaymentRecord,
  { ceiling, cost, at }: { readonly ceiling: bigint; readonly cost: bigint; readonly at: number },
): Operation<ChannelRecord | undefined> {
  const values = { id: payment.channelId, ceiling, cost, at: BigInt(at) }
  const [row] = yield* rowsOf(queries.endCall, values)
  if (freesVoucher(payment)) yield* rowsOf(queries.freeVoucher, { payment_id: payment.id })
  return row && channelIn(row)
}

/** The channel is locked before its logs are looked up, so that one log cannot count twice. */
function* changeDeposit(
  queries: Queries,
  { payment, channelEvent }: PaymentChange,
): Operation<ChannelRecord | undefined> {
  const { kind, channelId, settlement, authorization, updatedAt } = payment
  const proof = kind === 'channel_deposit' ? settlement : null
  if (channelId === null || (proof === null && channelEvent === null)) return undefined
  const channel = yield* lockChannel(queries, channelId)
  // A deposit that was seen on the chain before the payment that made it was proven.
  const standing =
    proof === null ? [] : yield* rowsOf(queries.standingMovements, placeValues(proof))
  const seen = standing.find((row) => isDepositOf(movementIn(row), payment))
  const events: ChannelPaymentEvent[] = []
  if (seen !== undefined) {
    yield* takeBack(queries, seen, updatedAt)
    events.push({ type: 'deposit_lost', amount: authorization.value, at: updatedAt })
  }
  if (channelEvent !== null) events.push(channelEvent)
  if (events.length === 0) return undefined
  return yield* writeChannel(queries, channel, events.reduce(transitionChannel, channel))
}

export function placeValues({ transaction, logIndex, blockHash }: TransferProof): Values {
  return { transaction, log_index: BigInt(logIndex), block_hash: blockHash }
}

/** Marks a movement as lost and books its reverse. False if another process did so meanwhile. */
export function* takeBack(queries: Queries, row: Row, at: number): Operation<boolean> {
  const seq = read.amount(row, 'seq')
  const marked = yield* rowsOf(queries.loseMovement, { seq })
  if (marked.length === 0) return false
  yield* bookMovement(queries, { ...movementIn(row), lost: true, at }, seq)
  return true
}

/** Books the entries of a movement, or of its loss. */
export function* bookMovement(
  queries: Queries,
  movement: ChannelMovement,
  seq: bigint,
): Operation<void> {
  for (const entry of movementEntries(movement)) {
    yield* rowsOf(queries.insertChannelEntry, { movement_seq: seq, ...channelEntryColumns(entry) })
  }
}

/** @throws {LedgerError} `not_found` */
export function* lockChannel(queries: Queries, id: Hex): Operation<ChannelRecord> {
  const [row] = yield* rowsOf(queries.lockChannel, { id })
  if (row === undefined) throw new LedgerError('not_found', `channel ${id} is not in the ledger`)
  return channelIn(row)
}

/** Writes what differs between two states of a channel whose row is locked. */
export function* writeChannel(
  queries: Queries,
  before: ChannelRecord,
  after: ChannelRecord,
): Operation<ChannelRecord> {
  const values = channelStateColumns(after)
  const update = queries.updateChannel(channelStateColumns(before), values)
  yield* rowsOf(update, { ...values, id: after.id })
  return after
}
