import {
  type Hex,
  isRefundTransferOpen,
  isUnfinished,
  ledgerPosition,
  type PaymentRecord,
  type RefundTransfer,
} from '@farebox/ledger'
import type { Arena } from './arena.ts'
import type { Call } from './chain.ts'
import { isOwed } from './operator.ts'
import { confirmations } from './replica.ts'

type Transfer = Extract<Call, { kind: 'transfer' }>

/** What must be true after every step. */
export function faultsOfStep(arena: Arena, treasury: Hex): readonly string[] {
  const { disk, chain } = arena
  const violations: string[] = []
  for (const payment of disk.payments.values()) {
    const sums = new Map<string, bigint>()
    for (const { debit, credit, amount } of disk.entries.get(payment.id) ?? []) {
      sums.set(debit, (sums.get(debit) ?? 0n) + amount)
      sums.set(credit, (sums.get(credit) ?? 0n) - amount)
    }
    const position: Readonly<Record<string, bigint>> = ledgerPosition(payment)
    for (const [account, amount] of Object.entries(position)) {
      if ((sums.get(account) ?? 0n) !== amount) {
        violations.push(`${payment.id}: ${account} holds ${sums.get(account)}, not ${amount}`)
      }
    }
    const { cost, refund, authorization } = payment
    if (cost !== null && cost + (refund?.amount ?? 0n) !== authorization.value) {
      violations.push(`${payment.id}: paid is not cost + refund`)
    }
  }
  for (const transfer of disk.transfers.values()) {
    const shares = transfer.payments.map(
      (id): bigint => disk.payments.get(id)?.refund?.amount ?? 0n,
    )
    if (shares.reduce((sum, amount) => sum + amount, 0n) !== transfer.amount) {
      violations.push(`refund transfer ${transfer.nonce} is not the sum of its refunds`)
    }
  }
  for (const { call } of chain.logs()) {
    if (call.kind === 'transfer' && call.from === treasury) {
      violations.push(...faultsOfRefund(arena, call))
    }
  }
  return violations
}

/** A refund on the chain is one that we owe, in its amount, for money that is on the chain. */
function faultsOfRefund(
  { disk, chain, deepestReorganisation }: Arena,
  { nonce, to, value }: Transfer,
): readonly string[] {
  if (isSweep(nonce)) return []
  const transfer = disk.transfers.get(nonce)
  if (transfer === undefined) return [`a transfer ${nonce} left that nobody owed`]
  const violations: string[] = []
  if (transfer.amount !== value || transfer.payer !== to) {
    violations.push(
      `refund ${nonce} sent ${value} to ${to}, not ${transfer.amount} to ${transfer.payer}`,
    )
  }
  if (deepestReorganisation >= confirmations) return violations
  for (const id of transfer.payments) {
    const payment = disk.payments.get(id)
    if (payment !== undefined && !isPaidOnChain({ chain }, payment)) {
      violations.push(`${id}: its refund is on the chain and its settlement is not`)
    }
  }
  return violations
}

function isPaidOnChain({ chain }: Pick<Arena, 'chain'>, { authorization }: PaymentRecord): boolean {
  const { from, to, nonce, value } = authorization
  const log = chain.use(from, nonce)
  return log?.call.kind === 'transfer' && log.call.to === to && log.call.value === value
}

/** The treasury's owner moves money: such nonces begin like no refund's. */
export const sweepPrefix = '0xffffffff'
function isSweep(nonce: Hex): boolean {
  return nonce.startsWith(sweepPrefix)
}

/** Why the run has not ended yet: each payment and each refund that is on its way. */
export function unfinished({ disk }: Pick<Arena, 'disk'>): readonly string[] {
  const isTakenUp = (transfer: RefundTransfer): boolean =>
    transfer.status === 'written_off' && isOwed({ disk }, transfer)
  const payments = [...disk.payments.values()].filter(
    (payment) => isUnfinished(payment) || payment.refund?.status === 'accruing',
  )
  const transfers = [...disk.transfers.values()].filter(
    (transfer) =>
      isTakenUp(transfer) ||
      (isRefundTransferOpen(transfer) && !waitsForOperator({ disk }, transfer)),
  )
  return [
    ...payments.map(({ id, status, refund, reason }) =>
      [id, status, refund?.status ?? '', reason ?? ''].join(' '),
    ),
    ...transfers.map(({ nonce, status, reason }) =>
      ['transfer', nonce, status, reason ?? ''].join(' '),
    ),
  ]
}

/**
 * A sum was frozen, and a part of the money behind it vanished deeper than was confirmed: what is to
 * be paid of it is for a person to decide. Until then it is blocked, and audit says why.
 */
function waitsForOperator({ disk }: Pick<Arena, 'disk'>, transfer: RefundTransfer): boolean {
  const { status, payments } = transfer
  const isLeft =
    status === 'written_off' || (status === 'blocked' && transfer.reason === 'settlement_lost')
  return isLeft && payments.length > 1 && !isOwed({ disk }, transfer)
}

/** What must be true in the end: the ledger and the chain agree to the unit. */
export function faultsOfEnd({ disk, chain }: Arena, treasury: Hex): readonly string[] {
  const violations: string[] = []
  let received = 0n
  for (const { call } of chain.logs()) {
    if (call.kind !== 'transfer') continue
    if (call.from === treasury && !isSweep(call.nonce)) received -= call.value
    if (call.to !== treasury || call.from === cold) continue
    // Money for an authorisation that nobody ever presented is no business of the ledger.
    if (disk.claims.has(`84532:${assetOf(disk)}:${call.from}:${call.nonce}`)) received += call.value
  }
  const booked = [...disk.entries.values()].flat().reduce((sum, { debit, credit, amount }) => {
    if (debit === 'treasury') return sum + amount
    return credit === 'treasury' ? sum - amount : sum
  }, 0n)
  if (booked !== received)
    violations.push(`the treasury holds ${received}, the ledger says ${booked}`)
  for (const payment of disk.payments.values())
    violations.push(...faultsOfFinal({ disk, chain }, payment))
  return violations
}

/** Where the treasury's owner moves money to, and from. */
export const cold: Hex = `0x${'c'.repeat(40)}`

function assetOf(disk: Arena['disk']): string {
  const [payment] = disk.payments.values()
  return payment?.authorization.asset ?? ''
}

/** Each payment by itself: who paid has a service for its cost, and the rest again. */
function faultsOfFinal(
  { disk, chain }: Pick<Arena, 'disk' | 'chain'>,
  payment: PaymentRecord,
): readonly string[] {
  const { id, status, refund, settlement } = payment
  const isPaid = isPaidOnChain({ chain }, payment)
  if (isPaid !== (settlement !== null)) {
    return [`${id} is ${status}: on the chain it is ${isPaid ? '' : 'not '}paid`]
  }
  if (!isPaid) return status === 'rejected' || status === 'settled' ? [`${id} ended ${status}`] : []
  if (status !== 'completed' && status !== 'failed') return [`${id} is paid and ended ${status}`]
  const transfer = disk.transfers.get(refund?.nonce ?? '')
  const isHeld = transfer !== undefined && waitsForOperator({ disk }, transfer)
  if (refund !== null && refund.status !== 'confirmed' && !isHeld) {
    return [`${id} is paid and its refund ended ${refund.status}`]
  }
  return []
}
