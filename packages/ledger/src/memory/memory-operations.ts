import { sum } from '@farebox/money'
import { isUndecided } from '../payment/is-undecided.ts'
import { LedgerError } from '../payment/ledger-error.ts'
import type { PayerFault } from '../payment/payer-fault.ts'
import type { PaymentEvent } from '../payment/payment-event.ts'
import type { Hex, Lease, PaymentId, PaymentRecord } from '../payment/payment-record.ts'
import {
  isRefundTransferOpen,
  maxBatchedPayments,
  type RefundTransfer,
} from '../refund/refund-transfer.ts'
import {
  type AuthorizationKey,
  authorizationText,
  claimedRecord,
  mustBe,
} from '../store/claim-payment.ts'
import type {
  ApplyOutcome,
  BeyondBalance,
  ClaimOutcome,
  ExportedPayment,
  KnownClaim,
  LeaseRequest,
  LedgerStore,
  NewPayment,
  PayerFaultSearch,
  PendingRefunds,
  RefundPayer,
  RefundTerms,
  RefundTransferEvent,
  RefundTransferOutcome,
  SmallRefundSearch,
  StoredAnswer,
} from '../store/ledger-store.ts'
import { maxPayerFaults } from '../store/ledger-store.ts'
import { batchRefunds, changePayment, changeRefundTransfer } from '../transition/payment-change.ts'
import { channelWrites, unusedChannels } from './channel-writes.ts'
import type { MemoryDisk } from './memory-disk.ts'
import { oldFreeUse } from './memory-free-quota.ts'
import { isOfPayer } from './memory-payers.ts'

/** Claims a payment in one commit. */
export function claim(disk: MemoryDisk, payment: NewPayment): ClaimOutcome {
  return insertClaim(disk, claimedRecord(mustBe('sale', payment)))
}

/** Claims a payment in one commit, if the payer's balance covers what it has in flight. */
export function claimWithin(
  disk: MemoryDisk,
  payment: NewPayment,
  balance: bigint,
): ClaimOutcome | BeyondBalance {
  const record = claimedRecord(mustBe('sale', payment))
  return isBeyond(disk, record, balance) ? { status: 'beyond_balance' } : insertClaim(disk, record)
}

/** Whether a new claim exceeds the payer's balance together with what it has in flight. */
export function isBeyond(disk: MemoryDisk, record: PaymentRecord, balance: bigint): boolean {
  const isNew = findTaken(disk, record) === undefined && !disk.payments.has(record.id)
  return isNew && balance - record.authorization.value < heldBy(disk, record)
}

/** What the payer's payments in flight would take. */
function heldBy(disk: MemoryDisk, { authorization }: PaymentRecord): bigint {
  const held = [...disk.unfinished].flatMap((id) => {
    const payment = disk.payments.get(id)
    if (payment === undefined || !isUndecided(payment)) return []
    return isOfPayer(authorization, payment.authorization) ? [payment.authorization.value] : []
  })
  return sum(held)
}

export function findTaken(disk: MemoryDisk, record: PaymentRecord): PaymentRecord | undefined {
  const { authorization, clientPaymentId } = record
  const claimed = findByAuthorization(disk, authorization)
  if (claimed !== undefined || clientPaymentId === null) return claimed
  return findByClientPaymentId(disk, clientPaymentId)
}

function insertClaim(disk: MemoryDisk, record: PaymentRecord): ClaimOutcome {
  const taken = findTaken(disk, record)
  if (taken !== undefined) return { status: 'taken', payment: taken }
  mustBeNewId(disk, record)
  disk.commit({ changes: [{ payment: record, entries: [] }] })
  return { status: 'claimed', payment: record }
}

/** @throws {LedgerError} `duplicate_id` */
export function mustBeNewId(disk: MemoryDisk, { id }: PaymentRecord): void {
  if (!disk.payments.has(id)) return
  throw new LedgerError('duplicate_id', `${id} is already the id of another payment`)
}

export function findByAuthorization(
  disk: MemoryDisk,
  key: AuthorizationKey,
): PaymentRecord | undefined {
  const id = disk.claims.get(authorizationText(key))
  return id === undefined ? undefined : disk.payments.get(id)
}

export function claimsOf(
  disk: MemoryDisk,
  keys: readonly AuthorizationKey[],
): readonly (KnownClaim | undefined)[] {
  return keys.map((key) => {
    const payment = findByAuthorization(disk, key)
    return payment && { reason: payment.reason }
  })
}

export function findByClientPaymentId(
  disk: MemoryDisk,
  clientPaymentId: string,
): PaymentRecord | undefined {
  for (const payment of disk.payments.values()) {
    if (payment.clientPaymentId === clientPaymentId) return payment
  }
  return undefined
}

type PaymentWrite = {
  readonly payment: PaymentRecord
  readonly event: PaymentEvent
  readonly answer: StoredAnswer | undefined
}

export function apply(disk: MemoryDisk, { payment, event, answer }: PaymentWrite): ApplyOutcome {
  const current = mustHave(disk.payments.get(payment.id), payment.id)
  if (current.version !== payment.version) return { status: 'conflict', payment: current }
  const change = changePayment(current, event)
  const writes = channelWrites(disk, change)
  disk.commit({
    changes: [change],
    ...writes,
    transfers: change.transfer === null ? [] : [mustBeNew(disk, change.transfer)],
    ...(answer === undefined ? {} : { answer: [payment.id, answer] }),
  })
  return { status: 'applied', payment: change.payment, channel: writes.channels?.[0] }
}

export function loadAnswer(disk: MemoryDisk, id: PaymentId, now: number): StoredAnswer | undefined {
  const answer = disk.answers.get(id)
  return answer === undefined || answer.expiresAt <= now ? undefined : answer
}

export function prune(
  disk: MemoryDisk,
  { now, unpaidBefore }: Parameters<LedgerStore['prune']>[0],
): void {
  const expired = [...disk.answers].filter(([, { expiresAt }]) => expiresAt <= now)
  disk.commit({
    forgetAnswers: expired.map(([id]) => id),
    forgetPayerFaults: [...disk.payerFaults].filter(({ expiresAt }) => expiresAt <= now),
    forgetFreeUsed: oldFreeUse(disk, now),
  })
  const unpaid = [...disk.payments.values()].filter(
    ({ id, status, updatedAt }) =>
      status === 'void' &&
      updatedAt < unpaidBefore &&
      (disk.entries.get(id) ?? []).length === 0 &&
      payerFaultsOf(disk, id).length === 0,
  )
  disk.commit({ forgetPayments: unpaid })
  disk.commit({ forgetChannels: unusedChannels(disk, unpaidBefore) })
}

export function recordPayerFault(disk: MemoryDisk, fault: PayerFault): void {
  mustHave(disk.payments.get(fault.paymentId), fault.paymentId)
  const same = faultsOf(disk, fault).filter(
    ({ subject, expiresAt }) => subject === fault.subject && expiresAt === fault.expiresAt,
  )
  disk.commit({ payerFault: fault, forgetPayerFaults: same })
}

export function forgivePayerFault(
  disk: MemoryDisk,
  fault: Pick<PayerFault, 'paymentId' | 'cause'>,
): void {
  disk.commit({ forgetPayerFaults: faultsOf(disk, fault) })
}

function faultsOf(
  disk: MemoryDisk,
  { paymentId, cause }: Pick<PayerFault, 'paymentId' | 'cause'>,
): readonly PayerFault[] {
  return payerFaultsOf(disk, paymentId).filter((fault) => fault.cause === cause)
}

export function payerFaultsOf(disk: MemoryDisk, id: PaymentId): readonly PayerFault[] {
  return [...disk.payerFaults].filter(({ paymentId }) => paymentId === id)
}

export function payerFaults(
  disk: MemoryDisk,
  { subject, now }: PayerFaultSearch,
): readonly PayerFault[] {
  return [...disk.payerFaults]
    .filter((fault) => fault.subject === subject && fault.expiresAt > now)
    .toSorted((a, b) => b.expiresAt - a.expiresAt)
    .slice(0, maxPayerFaults)
}

export function lease(
  disk: MemoryDisk,
  id: PaymentId,
  request: Omit<LeaseRequest, 'limit'>,
): PaymentRecord | undefined {
  const payment = disk.payments.get(id)
  if (payment === undefined) return undefined
  if (!isFree(payment.lease, request.now) && payment.lease?.owner !== request.owner)
    return undefined
  const leased = { ...payment, lease: leaseOf(request) }
  disk.commit({ changes: [{ payment: leased, entries: [] }] })
  return leased
}

export function leaseUnfinished(disk: MemoryDisk, request: LeaseRequest): readonly PaymentRecord[] {
  const leased = [...disk.unfinished]
    .flatMap((id) => disk.payments.get(id) ?? [])
    .filter((payment) => isFree(payment.lease, request.now))
    .toSorted((a, b) => leaseEnd(a) - leaseEnd(b) || a.createdAt - b.createdAt)
    .slice(0, request.limit)
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map((payment) => ({ ...payment, lease: leaseOf(request) }))
  disk.commit({ changes: leased.map((payment) => ({ payment, entries: [] })) })
  return leased
}

const leaseEnd = ({ lease }: PaymentRecord): number => lease?.until ?? 0

export function leaseRefunds(disk: MemoryDisk, request: LeaseRequest): readonly RefundTransfer[] {
  const leased = [...disk.transfers.values()]
    .filter((transfer) => isRefundTransferOpen(transfer) && transfer.nextAttemptAt <= request.now)
    .filter((transfer) => isFree(transfer.lease, request.now))
    .toSorted((a, b) => a.nextAttemptAt - b.nextAttemptAt)
    .slice(0, request.limit)
    .map((transfer) => ({ ...transfer, lease: leaseOf(request) }))
  disk.commit({ transfers: leased })
  return leased
}

export function loadRefund(disk: MemoryDisk, nonce: Hex): RefundTransfer | undefined {
  return disk.transfers.get(nonce.toLowerCase())
}

export function refundTerms(disk: MemoryDisk, nonces: readonly Hex[]): readonly RefundTerms[] {
  return nonces.flatMap((of) => {
    const transfer = loadRefund(disk, of)
    if (transfer === undefined) return []
    const { nonce, payer, amount } = transfer
    return [{ nonce, payer, amount }]
  })
}

export function applyToRefund(
  disk: MemoryDisk,
  transfer: RefundTransfer,
  event: RefundTransferEvent,
): RefundTransferOutcome {
  const current = mustHave(loadRefund(disk, transfer.nonce), transfer.nonce)
  if (current.version !== transfer.version) return { status: 'conflict', transfer: current }
  const payments = current.payments.map((id) => mustHave(disk.payments.get(id), id))
  const change = changeRefundTransfer(current, payments, event)
  disk.commit({ changes: change.payments, transfers: [change.transfer] })
  return { status: 'applied', transfer: change.transfer }
}

export function smallRefundsDue(
  disk: MemoryDisk,
  { createdUntil, least, limit }: SmallRefundSearch,
): readonly RefundPayer[] {
  const payers = Map.groupBy(
    accruing(disk),
    ({ authorization: { chainId, asset, from } }) => `${chainId}:${asset}:${from}`,
  )
  const isDue = ([oldest, ...others]: readonly PaymentRecord[]): boolean =>
    oldest !== undefined &&
    (oldest.createdAt <= createdUntil ||
      sum([oldest, ...others].map(({ refund }) => refund?.amount ?? 0n)) >= least)
  const due = [...payers.values()].filter(isDue).slice(0, limit)
  return due.flatMap(([oldest]) => {
    if (oldest === undefined) return []
    const { chainId, asset, from: payer } = oldest.authorization
    return [{ payer, chainId, asset }]
  })
}

export function pendingRefundsOf(disk: MemoryDisk, owed: RefundPayer): PendingRefunds {
  const { payer, chainId, asset } = owed
  const payments = accruing(disk)
    .filter(({ authorization }) => isOfPayer({ chainId, asset, from: payer }, authorization))
    .slice(0, maxBatchedPayments)
  return { payer, chainId, asset, payments, sequence: nextSequence(disk, owed) }
}

/** The oldest first. */
function accruing(disk: MemoryDisk): readonly PaymentRecord[] {
  return [...disk.accruing]
    .flatMap((id) => disk.payments.get(id) ?? [])
    .toSorted((a, b) => a.createdAt - b.createdAt)
}

function nextSequence(disk: MemoryDisk, payer: RefundPayer): number {
  const used = [...disk.transfers.values()].filter(
    (transfer) =>
      transfer.sequence !== null &&
      transfer.payer === payer.payer &&
      transfer.chainId === payer.chainId &&
      transfer.asset === payer.asset,
  )
  return used.length
}

export function batchSmallRefunds(
  disk: MemoryDisk,
  pending: PendingRefunds,
  { nonce, at }: { readonly nonce: Hex; readonly at: number },
): Awaited<ReturnType<LedgerStore['batchSmallRefunds']>> {
  const known = loadRefund(disk, nonce)
  if (known !== undefined) return { status: 'conflict', transfer: known }
  const payments = pending.payments.map(({ id }) => mustHave(disk.payments.get(id), id))
  const change = batchRefunds(pending, payments, { nonce, at })
  if (change === null || nextSequence(disk, pending) !== pending.sequence) return { status: 'gone' }
  disk.commit({ changes: change.payments, transfers: [change.transfer] })
  return { status: 'applied', transfer: change.transfer }
}

export function refundedSince(disk: MemoryDisk, since: number): bigint {
  const sent = [...disk.transfers.values()].filter(({ signedAt }) => (signedAt ?? -1) >= since)
  return sum(sent.map(({ amount }) => amount))
}

export function unsentRefunds(disk: MemoryDisk): bigint {
  const amounts = [...disk.payments.values()].flatMap(({ settlement, refund }) => {
    const isUnsent = refund !== null && isOwed(refund) && !mayHaveLeft(disk, refund)
    return settlement !== null && isUnsent ? [refund.amount] : []
  })
  return sum(amounts)
}

function mayHaveLeft(disk: MemoryDisk, { nonce }: { readonly nonce: Hex | null }): boolean {
  const transfer = nonce === null ? undefined : disk.transfers.get(nonce)
  return transfer?.status === 'signed' || transfer?.status === 'submitted'
}

function isOwed({ status }: { readonly status: string }): boolean {
  return status !== 'confirmed' && status !== 'written_off' && status !== 'released'
}

export function exportedPayments(disk: MemoryDisk): readonly ExportedPayment[] {
  return [...disk.payments.values()].map((payment) => ({
    payment,
    entries: disk.entries.get(payment.id) ?? [],
  }))
}

export function isFree(held: Lease | null, now: number): boolean {
  return held === null || held.until <= now
}

export function leaseOf({ owner, until }: Lease): Lease {
  return { owner, until }
}

function mustHave<Value>(value: Value | undefined, id: string): Value {
  if (value === undefined) throw new LedgerError('not_found', `${id} is not in the ledger`)
  return value
}

function mustBeNew(disk: MemoryDisk, transfer: RefundTransfer): RefundTransfer {
  if (!disk.transfers.has(transfer.nonce)) return transfer
  throw new LedgerError(
    'refund_exists',
    `${transfer.nonce} is already the nonce of another refund transfer`,
  )
}
