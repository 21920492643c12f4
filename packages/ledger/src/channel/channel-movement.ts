import type { Usdc } from '@farebox/money'
import type { LedgerEntry } from '../book/ledger-entry.ts'
import type { Movement } from '../book/ledger-position.ts'
import { LedgerError } from '../payment/ledger-error.ts'
import type { Hex, PaymentRecord, TransferProof } from '../payment/payment-record.ts'
import type { ChannelEvent } from './channel-event.ts'
import type { ChannelRecord } from './channel-record.ts'

/**
 * The movements in the settlement contract's logs, other than deposits by payments.
 *
 * - `deposit`: a deposit that did not come through the gate
 * - `claim`: charges became payable to the receiver; no token moved
 * - `refund`, `withdrawal`: escrow was returned to the payer
 * - `settle`: claimed escrow was paid to the treasury, for all channels at once
 */
export const channelMovementKinds = ['deposit', 'claim', 'refund', 'withdrawal', 'settle'] as const

export type ChannelMovementKind = (typeof channelMovementKinds)[number]

/** One log of the settlement contract. */
export type ChannelMovement = {
  readonly kind: ChannelMovementKind
  readonly chainId: number
  /** Null for a `settle`. */
  readonly channelId: Hex | null
  /** Always positive. */
  readonly amount: Usdc
  readonly proof: TransferProof
  /** Whether a reorganization took it back. */
  readonly lost: boolean
  readonly at: number
}

/** What an event of a channel proves or takes back; null if it moves nothing. */
export function movementOf(channel: ChannelRecord, event: ChannelEvent): ChannelMovement | null {
  const { id: channelId, chainId } = channel
  switch (event.type) {
    case 'deposit_proven':
    case 'deposit_lost':
      return { ...logged(event), kind: 'deposit', chainId, channelId, amount: event.amount }
    case 'claim_proven':
    case 'claim_lost':
      return { ...logged(event), kind: 'claim', chainId, channelId, amount: event.amount }
    case 'returned':
    case 'return_lost':
      return { ...logged(event), kind: event.by, chainId, channelId, amount: event.amount }
    case 'withdraw_announced':
    case 'withdraw_cleared':
    case 'closing':
    case 'nonce_used':
    case 'frozen':
    case 'seen':
      return null
  }
}

type Logged = Pick<ChannelMovement, 'proof' | 'at'> & { readonly type: string }

function logged({ type, proof, at }: Logged): Pick<ChannelMovement, 'proof' | 'lost' | 'at'> {
  return { proof, lost: type.endsWith('_lost'), at }
}

/**
 * Whether a log still has to be booked. `standing` are the booked movements of the same log, and those
 * of its transaction from another block. A transaction is in one block: while movements of it are booked
 * from another block, one of the two has vanished, so nothing more of it is booked until those are taken
 * back.
 *
 * @throws {LedgerError} `proof_used` if the log proves another movement.
 */
export function isUnbooked(
  { kind, channelId, proof }: ChannelMovement,
  standing: readonly ChannelMovement[],
): boolean {
  if (standing.length === 0) return true
  const isKnown = standing.some(
    (booked) =>
      booked.proof.blockHash !== proof.blockHash ||
      (booked.kind === kind && booked.channelId === channelId),
  )
  if (isKnown) return false
  throw new LedgerError('proof_used', 'the log already proves another movement')
}

/**
 * Whether a deposit seen on the chain is the one that a payment made, perhaps in another block.
 *
 * @throws {LedgerError} `proof_used` if the log proves a movement other than the payment's deposit.
 */
export function isDepositOf(
  { kind, channelId, amount, proof }: ChannelMovement,
  { id, settlement, ...payment }: PaymentRecord,
): boolean {
  const isSame = kind === 'deposit' && channelId === payment.channelId
  if (isSame && amount === payment.authorization.value) return true
  if (proof.blockHash !== settlement?.blockHash) return false
  throw new LedgerError('proof_used', `the log already proves a movement other than ${id}`)
}

/** The double entry of a movement. */
export type ChannelEntry = Omit<LedgerEntry, 'paymentId'> & { readonly channelId: Hex | null }

export type BookedMovement = {
  readonly movement: ChannelMovement
  readonly entries: readonly ChannelEntry[]
}

/** The entries that a movement books, or those that take it back once it is lost. */
export function movementEntries(movement: ChannelMovement): readonly ChannelEntry[] {
  const { channelId, amount, at, lost } = movement
  const accounts = accountsOf(movement.kind)
  if (accounts === null) return []
  const [debit, credit] = lost
    ? [accounts.credit, accounts.debit]
    : [accounts.debit, accounts.credit]
  return [{ channelId, debit, credit, amount, at }]
}

function accountsOf(kind: ChannelMovementKind): Omit<Movement, 'amount'> | null {
  switch (kind) {
    case 'deposit':
      return { debit: 'escrow', credit: 'payer_channel' }
    case 'claim':
      return null
    case 'refund':
    case 'withdrawal':
      return { debit: 'payer_channel', credit: 'escrow' }
    case 'settle':
      return { debit: 'treasury', credit: 'escrow' }
  }
}
