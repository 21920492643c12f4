import type { ChannelPaymentEvent } from '../channel/channel-event.ts'
import { type BookedMovement, isDepositOf, movementEntries } from '../channel/channel-movement.ts'
import { freesVoucher } from '../channel/channel-of-payment.ts'
import type { ChannelRecord } from '../channel/channel-record.ts'
import { transitionChannel } from '../channel/transition-channel.ts'
import { LedgerError } from '../payment/ledger-error.ts'
import type { Hex, PaymentRecord, TransferProof } from '../payment/payment-record.ts'
import type { PaymentChange } from '../transition/payment-change.ts'
import type { MemoryDisk, MemoryWrites } from './memory-disk.ts'

type ChannelWrites = Pick<MemoryWrites, 'channels' | 'channelUses' | 'movements'>

/** What a payment's change writes to its channel. */
export function channelWrites(
  disk: MemoryDisk,
  { payment, channelEvent }: PaymentChange,
): ChannelWrites {
  if (payment.channelId === null) return {}
  const replaced = replacedDeposit(disk, payment)
  const events = [
    ...replaced.map(([, { movement }]) => lossOf(movement.amount, payment.updatedAt)),
    ...(channelEvent === null ? [] : [channelEvent]),
  ]
  if (events.length === 0) return {}
  return {
    channels: [events.reduce(transitionChannel, mustHaveChannel(disk, payment.channelId))],
    channelUses: freesVoucher(payment) ? freed(disk, payment) : [],
    movements: replaced.map(([index, booked]) => [index, lost(booked, payment.updatedAt)]),
  }
}

function lossOf(amount: BookedMovement['movement']['amount'], at: number): ChannelPaymentEvent {
  return { type: 'deposit_lost', amount, at }
}

/** A deposit that was seen on the chain before the payment that made it was proven. */
function replacedDeposit(
  disk: MemoryDisk,
  payment: PaymentRecord,
): readonly (readonly [number, BookedMovement])[] {
  const { kind, settlement } = payment
  if (kind !== 'channel_deposit' || settlement === null) return []
  return standing(disk, settlement)
    .filter(([, { movement }]) => isDepositOf(movement, payment))
    .slice(0, 1)
}

/** Movements that a log, or its transaction in another block, proves and that were not lost. */
export function standing(
  disk: MemoryDisk,
  proof: TransferProof,
): readonly (readonly [number, BookedMovement])[] {
  return [...disk.movements].filter(
    ([, { movement }]) => !movement.lost && isSameTransfer(movement.proof, proof),
  )
}

/** The same log, or the same transaction in another block. */
export function isSameTransfer(a: TransferProof, b: TransferProof): boolean {
  return (
    a.transaction === b.transaction && (a.logIndex === b.logIndex || a.blockHash !== b.blockHash)
  )
}

export function isSameLog(a: TransferProof, b: TransferProof): boolean {
  return a.transaction === b.transaction && a.logIndex === b.logIndex
}

/** A movement that is taken back, with the entries that reverse it. */
export function lost({ movement, entries }: BookedMovement, at: number): BookedMovement {
  const undone = { ...movement, lost: true }
  return { movement: undone, entries: [...entries, ...movementEntries({ ...undone, at })] }
}

function freed(disk: MemoryDisk, { id }: PaymentRecord): NonNullable<MemoryWrites['channelUses']> {
  const uses = [...disk.channelUses.values()]
  return uses
    .filter(({ paymentId, published }) => paymentId === id && !published)
    .map((use) => ({ ...use, free: true }))
}

export function mustHaveChannel(disk: MemoryDisk, id: Hex): ChannelRecord {
  const channel = disk.channels.get(id)
  if (channel === undefined)
    throw new LedgerError('not_found', `channel ${id} is not in the ledger`)
  return channel
}

/** Channels without a deposit, of which no payment is left. */
export function unusedChannels(disk: MemoryDisk, before: number): readonly Hex[] {
  const used = new Set([...disk.payments.values()].map(({ channelId }) => channelId))
  return [...disk.channels.values()]
    .filter(
      ({ id, status, updatedAt }) => status === 'opening' && updatedAt < before && !used.has(id),
    )
    .map(({ id }) => id)
}
