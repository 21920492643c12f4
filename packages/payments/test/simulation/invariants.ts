import {
  type Hex,
  isRefundTransferOpen,
  isUnfinished,
  ledgerPosition,
  type PaymentRecord,
  type RefundTransfer,
} from '@farebox/ledger'
import type { TokenCall } from './chain.ts'
import { authorizationKey, type InvariantChecker } from './invariant-checker.ts'
import { isOwed } from './operator.ts'
import { abandonCharge, confirmations } from './replica.ts'
import type { SimContext } from './sim-context.ts'

type Transfer = Extract<TokenCall, { kind: 'transfer' }>

/** Violations of the invariants that hold after every step. */
export function stepViolations(context: SimContext, treasury: Hex): readonly string[] {
  const { disk, chain, claimed, sound } = context
  const violations: string[] = []
  for (const payment of disk.payments.values()) {
    // Records are never changed in place: one that was right with these entries still is.
    const entries = disk.entries.get(payment.id)
    if (sound.get(payment) === entries && entries !== undefined) continue
    sound.set(payment, entries)
    claimed.add(authorizationKey(payment.authorization))
    const sums = new Map<string, bigint>()
    for (const { debit, credit, amount } of entries ?? []) {
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
    const refunds = transfer.payments.map(
      (id): bigint => disk.payments.get(id)?.refund?.amount ?? 0n,
    )
    if (refunds.reduce((sum, amount) => sum + amount, 0n) !== transfer.amount) {
      violations.push(`refund transfer ${transfer.nonce} is not the sum of its refunds`)
    }
  }
  for (const { call } of chain.logs()) {
    if (call.kind === 'transfer' && call.from === treasury) {
      violations.push(...refundViolations(context, call))
    }
  }
  return violations
}

/** A refund on the chain must be one that is owed, in its amount, for a payment on the chain. */
function refundViolations(
  { disk, chain, deepestReorganization }: SimContext,
  { nonce, to, value }: Transfer,
): readonly string[] {
  if (isSweep(nonce)) return []
  const transfer = disk.transfers.get(nonce)
  if (transfer === undefined) return [`transfer ${nonce} left the treasury and was not owed`]
  const violations: string[] = []
  if (transfer.amount !== value || transfer.payer !== to) {
    violations.push(
      `refund ${nonce} sent ${value} to ${to}, not ${transfer.amount} to ${transfer.payer}`,
    )
  }
  if (deepestReorganization >= confirmations) return violations
  for (const id of transfer.payments) {
    const payment = disk.payments.get(id)
    if (payment !== undefined && !isPaidOnChain({ chain }, payment)) {
      violations.push(`${id}: its refund is on the chain and its settlement is not`)
    }
  }
  return violations
}

function isPaidOnChain(
  { chain }: Pick<SimContext, 'chain'>,
  { authorization }: PaymentRecord,
): boolean {
  const { from, to, nonce, value } = authorization
  const log = chain.use(from, nonce)
  return log?.call.kind === 'transfer' && log.call.to === to && log.call.value === value
}

/** Nonces of transfers by the treasury's owner: no refund's nonce begins like this. */
export const sweepPrefix = '0xffffffff'
function isSweep(nonce: Hex): boolean {
  return nonce.startsWith(sweepPrefix)
}

/** The payments and refunds that are still open. */
export function unfinished({ disk }: Pick<SimContext, 'disk'>): readonly string[] {
  const isPayable = (transfer: RefundTransfer): boolean =>
    transfer.status === 'written_off' && isOwed({ disk }, transfer)
  const payments = [...disk.payments.values()].filter(
    (payment) => isUnfinished(payment) || payment.refund?.status === 'accruing',
  )
  const transfers = [...disk.transfers.values()].filter(
    (transfer) =>
      isPayable(transfer) ||
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
 * A batch of refunds was fixed, and a reorganization deeper than the confirmations undid one of its
 * payments: an operator decides what is paid. Until then it is blocked, and the audit reports why.
 */
function waitsForOperator({ disk }: Pick<SimContext, 'disk'>, transfer: RefundTransfer): boolean {
  const { status, payments } = transfer
  const isLeft =
    status === 'written_off' || (status === 'blocked' && transfer.reason === 'settlement_lost')
  return isLeft && payments.length > 1 && !isOwed({ disk }, transfer)
}

/** Violations of what holds at the end: the ledger and the chain agree to the unit. */
export function endViolations(
  { disk, chain, claimed }: SimContext,
  treasury: Hex,
): readonly string[] {
  const violations: string[] = []
  let received = 0n
  for (const { call } of chain.logs()) {
    if (call.kind !== 'transfer') continue
    if (call.from === treasury && !isSweep(call.nonce)) received -= call.value
    if (call.to !== treasury || call.from === coldWallet) continue
    // Transfers by authorizations that were never presented are not in the ledger.
    if (claimed.has(authorizationKey(call))) received += call.value
  }
  const booked = [...disk.entries.values()].flat().reduce((sum, { debit, credit, amount }) => {
    if (debit === 'treasury') return sum + amount
    return credit === 'treasury' ? sum - amount : sum
  }, 0n)
  if (booked !== received)
    violations.push(`the treasury holds ${received}, the ledger has ${booked}`)
  for (const payment of disk.payments.values())
    violations.push(...finalViolations({ disk, chain }, payment))
  return violations
}

/** Without an upstream call, a payment costs nothing or the charge for a client that left. */
export function unservedCharges(
  { disk }: SimContext,
  checker: InvariantChecker,
): readonly string[] {
  return [...disk.payments.values()].flatMap(({ id, kind, cost, authorization }) => {
    // A deposit buys credit.
    if (kind === 'channel_deposit') return []
    const isServed = checker.calls(authorizationKey(authorization)) > 0
    const isAllowed = cost === null || cost === 0n || cost === abandonCharge
    return isServed || isAllowed ? [] : [`${id} cost ${cost} without an upstream call`]
  })
}

/** The account to which the treasury's owner sweeps, and from which it returns money. */
export const coldWallet: Hex = `0x${'c'.repeat(40)}`

/** Each payment by itself: what was paid is the cost of a service plus its refund. */
function finalViolations(
  { disk, chain }: Pick<SimContext, 'disk' | 'chain'>,
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
