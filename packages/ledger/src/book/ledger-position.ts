import { atomicUsdc, least, type Usdc } from '@farebox/money'
import type { PaymentRecord, Refund } from '../payment/payment-record.ts'
import type { Account } from './ledger-entry.ts'

/** What a payment adds to each account: debits are positive, credits negative, the sum is zero. */
export type Position = Readonly<Record<Account, bigint>>

/** An amount that moves from the credited account to the debited one. */
export type Movement = { readonly debit: Account; readonly credit: Account; readonly amount: Usdc }

/** Debits are matched with credits in this order, so that equal changes give equal entries. */
const matchingOrder = [
  'treasury',
  'liability',
  'suspense',
  'refunds_payable',
  'payer_credit',
  'written_off',
  'absorbed_loss',
  'revenue',
  'escrow',
  'payer_channel',
] as const satisfies readonly Account[]

/** The position of a payment that has moved no money. */
export const nothing: Position = {
  treasury: 0n,
  liability: 0n,
  suspense: 0n,
  refunds_payable: 0n,
  payer_credit: 0n,
  written_off: 0n,
  absorbed_loss: 0n,
  revenue: 0n,
  escrow: 0n,
  payer_channel: 0n,
}

/**
 * Which accounts hold a payment's money, derived from its state alone. Entries are the movements
 * between the positions before and after an event, so a payment's entries always add up to this.
 */
export function ledgerPosition(record: PaymentRecord): Position {
  switch (record.kind) {
    case 'sale':
      return salePosition(record)
    case 'channel_deposit':
      return depositPosition(record)
    case 'channel_call':
      return callPosition(record)
  }
}

/** The payer's credit in the channel is backed by the contract's escrow. */
function depositPosition({ settlement, authorization }: PaymentRecord): Position {
  const { value } = authorization
  return settlement === null ? nothing : { ...nothing, escrow: value, payer_channel: 0n - value }
}

/** A call takes its ceiling from the payer's credit, and what it did not cost is returned there. */
function callPosition({ cost, authorization }: PaymentRecord): Position {
  const { value } = authorization
  return cost === null
    ? { ...nothing, payer_channel: value, liability: 0n - value }
    : { ...nothing, payer_channel: cost, revenue: 0n - cost }
}

function salePosition(record: PaymentRecord): Position {
  const paid: bigint = record.authorization.value
  switch (record.status) {
    case 'settling':
    case 'unknown':
    case 'rejected':
    case 'void':
      return nothing
    case 'settled':
      return record.reason === null
        ? { ...nothing, treasury: paid, liability: -paid }
        : { ...nothing, treasury: paid, suspense: -paid }
    case 'serving':
      return record.settlement === null ? nothing : { ...nothing, treasury: paid, liability: -paid }
    case 'completed':
    case 'failed':
      return record.settlement === null ? lostPosition(record) : closedPosition(record)
  }
}

function closedPosition(record: PaymentRecord): Position {
  const { revenue, returned, owed } = amountsOf(record)
  const closed = { ...nothing, treasury: record.authorization.value - returned, revenue: -revenue }
  return record.refund === null ? closed : { ...closed, [accountOwing(record.refund)]: 0n - owed }
}

/** The settlement vanished: we bear the cost of the service and of a refund already sent. */
function lostPosition(record: PaymentRecord): Position {
  const { revenue, returned } = amountsOf(record)
  return {
    ...nothing,
    treasury: -returned,
    absorbed_loss: revenue + returned,
    revenue: -revenue,
  }
}

function amountsOf({ cost, refund }: PaymentRecord): {
  readonly revenue: bigint
  readonly returned: bigint
  readonly owed: bigint
} {
  const amount: bigint = refund?.amount ?? 0n
  const confirmed = refund?.status === 'confirmed'
  return { revenue: cost ?? 0n, returned: confirmed ? amount : 0n, owed: confirmed ? 0n : amount }
}

function accountOwing(refund: Refund): Account {
  switch (refund.status) {
    case 'accruing':
      return 'payer_credit'
    case 'due':
    case 'submitted':
    case 'blocked':
    case 'confirmed':
      return 'refunds_payable'
    case 'written_off':
      return 'written_off'
    case 'released':
      return 'payer_channel'
  }
}

/** The movements from one position to another. */
export function movementsBetween(before: Position, after: Position): readonly Movement[] {
  const left: { readonly account: Account; amount: bigint }[] = []
  for (const account of matchingOrder) {
    const amount = after[account] - before[account]
    if (amount !== 0n) left.push({ account, amount })
  }
  const movements: Movement[] = []
  for (const debit of left) {
    for (const credit of left) {
      const amount = atomicUsdc(least(debit.amount, -credit.amount))
      if (amount <= 0n) continue
      movements.push({ debit: debit.account, credit: credit.account, amount })
      debit.amount -= amount
      credit.amount += amount
    }
  }
  return movements
}
