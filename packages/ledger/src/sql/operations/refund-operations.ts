import { LedgerError, type OnCorruptRow } from '../../payment/ledger-error.ts'
import type { Hex, PaymentId, PaymentRecord } from '../../payment/payment-record.ts'
import type { RefundTransfer } from '../../refund/refund-transfer.ts'
import type {
  LeaseRequest,
  LedgerStore,
  PendingRefunds,
  RefundPayer,
  RefundTerms,
  RefundTransferEvent,
  RefundTransferOutcome,
  SmallRefundSearch,
} from '../../store/ledger-store.ts'
import {
  batchRefunds,
  changeRefundedPayments,
  throwUnsettled,
} from '../../transition/payment-change.ts'
import { transitionRefundTransfer } from '../../transition/transition-refund-transfer.ts'
import type { Queries } from '../queries/queries.ts'
import {
  type Operation,
  onlyRowOf,
  type Row,
  rowsOf,
  type Values,
  writtenBy,
} from '../queries/query.ts'
import { idIn, paymentIn } from '../rows/payment-row.ts'
import * as read from '../rows/read-row.ts'
import { refundTransferIn, termsIn, transferStateColumns } from '../rows/refund-row.ts'
import { insertRefund } from './insert-refund.ts'
import { readable } from './paged.ts'
import { byColumns, leaseValues, writeChanges } from './payment-operations.ts'

export function* loadRefund(queries: Queries, nonce: Hex): Operation<RefundTransfer | undefined> {
  const [row] = yield* rowsOf(queries.transfer, { nonce: nonce.toLowerCase() })
  return row && refundTransferIn(row, yield* membersOf(queries, row))
}

export function* refundTerms(
  queries: Queries,
  nonces: readonly Hex[],
): Operation<readonly RefundTerms[]> {
  const terms: RefundTerms[] = []
  for (const nonce of nonces) {
    const rows = yield* rowsOf(queries.transferTerms, { nonce: nonce.toLowerCase() })
    terms.push(...rows.map(termsIn))
  }
  return terms
}

/** The payments of a refund transfer, which are those with its nonce. */
function* membersOf(queries: Queries, row: Row): Operation<readonly PaymentId[]> {
  const members = yield* rowsOf(queries.members, { nonce: read.hex(row, 'nonce') })
  return members.toSorted(byColumns('seq')).map((member) => idIn(member, 'id'))
}

export function* leaseRefunds(
  queries: Queries,
  request: LeaseRequest,
  onCorrupt?: OnCorruptRow,
): Operation<readonly RefundTransfer[]> {
  const values = { ...leaseValues(request), limit: BigInt(request.limit) }
  const rows = yield* rowsOf(queries.leaseRefunds, values)
  return yield* refundsIn(queries, rows.toSorted(byColumns('next_attempt_at', 'seq')), onCorrupt)
}

/** Refund transfers with their payments; without `onCorrupt`, one that cannot be read is an error. */
export function* refundsIn(
  queries: Queries,
  rows: readonly Row[],
  onCorrupt: OnCorruptRow | undefined,
): Operation<readonly RefundTransfer[]> {
  const transfers: RefundTransfer[] = []
  for (const row of rows) {
    const members = yield* membersOf(queries, row)
    transfers.push(...readable([row], (one) => refundTransferIn(one, members), onCorrupt))
  }
  return transfers
}

export type RefundWrite = {
  readonly transfer: RefundTransfer
  readonly event: RefundTransferEvent
  readonly payments: readonly PaymentRecord[] | undefined
}

/**
 * The caller's record is the state at its version, so the transfer is not read before the write. It
 * is always written before its payments are locked, so that two workers cannot deadlock.
 */
export function* applyToRefund(
  queries: Queries,
  { transfer, event, payments }: RefundWrite,
): Operation<RefundTransferOutcome> {
  const { nonce } = transfer
  const after = yield* transferUnlessOutdated(queries, transfer, event)
  if (after === null || !(yield* updateRefund(queries, transfer, after))) {
    return { status: 'conflict', transfer: yield* mustLoadRefund(queries, nonce) }
  }
  if (event.type === 'signed') {
    const members = yield* rowsOf(queries.memberVersions, { nonce })
    if (members.some((row) => row['settlement_transaction'] === null)) throwUnsettled(transfer)
  } else if (concernsPayments(event)) {
    const members = yield* lockMembers(queries, nonce, payments)
    yield* writeChanges(queries, members, changeRefundedPayments(transfer, members, event))
  }
  return { status: 'applied', transfer: after }
}

/** The payments of a refund transfer. Those that the caller knows are not read if none has changed. */
function* lockMembers(
  queries: Queries,
  nonce: Hex,
  known: readonly PaymentRecord[] = [],
): Operation<readonly PaymentRecord[]> {
  if (known.length > 0) {
    const versions = new Map(known.map(({ id, version }) => [id, version]))
    const rows = yield* rowsOf(queries.memberVersions, { nonce })
    const isCurrent = (row: Row): boolean =>
      versions.get(idIn(row, 'id')) === read.whole(row, 'version')
    if (rows.length === known.length && rows.every(isCurrent)) return known
  }
  const rows = yield* rowsOf(queries.lockMembers, { nonce })
  return rows.toSorted(byColumns('seq')).map(paymentIn)
}

/** An event that is not allowed on an outdated version is a conflict, not an error. */
function* transferUnlessOutdated(
  queries: Queries,
  transfer: RefundTransfer,
  event: RefundTransferEvent,
): Operation<RefundTransfer | null> {
  try {
    return transitionRefundTransfer(transfer, event)
  } catch (error) {
    const current = yield* mustLoadRefund(queries, transfer.nonce)
    if (current.version === transfer.version) throw error
    return null
  }
}

function* mustLoadRefund(queries: Queries, nonce: Hex): Operation<RefundTransfer> {
  const transfer = yield* loadRefund(queries, nonce)
  if (transfer !== undefined) return transfer
  throw new LedgerError('not_found', `refund transfer ${nonce} is not in the ledger`)
}

/** Writes what differs between two versions; false when the row has another one than `before`. */
function* updateRefund(
  queries: Queries,
  before: RefundTransfer,
  after: RefundTransfer,
): Operation<boolean> {
  const { nonce } = after
  const values = transferStateColumns(after)
  // Acquiring a lease does not change the version, so the end of a lease is always written.
  const known = { ...before, lease: after.lease === null ? unknownLease : before.lease }
  const query = queries.updateRefund(transferStateColumns(known), values)
  const written = yield* writtenBy(query, { ...values, nonce, before: BigInt(before.version) })
  return written > 0
}

const unknownLease = { owner: '', until: 0 }

/** Whether an event may change the payments of its refund transfer. */
function concernsPayments({ type }: RefundTransferEvent): boolean {
  return type !== 'postponed' && type !== 'final'
}

export function* smallRefundsDue(
  queries: Queries,
  { createdUntil, least, limit }: SmallRefundSearch,
): Operation<readonly RefundPayer[]> {
  const payers = yield* rowsOf(queries.accruingPayers, {
    created_until: BigInt(createdUntil),
    least,
    limit: BigInt(limit),
  })
  return payers.map((row) => ({
    chainId: read.whole(row, 'chain_id'),
    asset: read.hex(row, 'asset'),
    payer: read.hex(row, 'payer'),
  }))
}

export function* pendingRefundsOf(queries: Queries, payer: RefundPayer): Operation<PendingRefunds> {
  const rows = yield* rowsOf(queries.accruingOf, payerValues(payer))
  const sequence = yield* nextSequence(queries, payer)
  return { ...payer, payments: rows.map(paymentIn), sequence }
}

export function* batchSmallRefunds(
  queries: Queries,
  pending: PendingRefunds,
  { nonce, at }: { readonly nonce: Hex; readonly at: number },
): Operation<Awaited<ReturnType<LedgerStore['batchSmallRefunds']>>> {
  const known = yield* loadRefund(queries, nonce)
  if (known !== undefined) return { status: 'conflict', transfer: known }
  const payments: PaymentRecord[] = []
  for (const { id } of pending.payments) {
    const rows = yield* rowsOf(queries.lockPayment, { id })
    payments.push(...rows.map(paymentIn))
  }
  const change = batchRefunds(pending, payments, { nonce, at })
  if (change === null || payments.length !== pending.payments.length) return { status: 'gone' }
  if ((yield* nextSequence(queries, pending)) !== pending.sequence) return { status: 'gone' }
  if (!(yield* insertRefund(queries, change.transfer))) return { status: 'gone' }
  yield* writeChanges(queries, payments, change.payments)
  return { status: 'applied', transfer: change.transfer }
}

function* nextSequence(queries: Queries, payer: RefundPayer): Operation<number> {
  return read.whole(yield* onlyRowOf(queries.nextSequence, payerValues(payer)), 'sequence')
}

function payerValues({ chainId, asset, payer }: RefundPayer): Values {
  return { chain_id: BigInt(chainId), asset, payer }
}

export function* refundedSince(queries: Queries, since: number): Operation<bigint> {
  return read.amount(yield* onlyRowOf(queries.refundedSince, { since: BigInt(since) }), 'total')
}

export function* unsentRefunds(queries: Queries): Operation<bigint> {
  const unsent = read.amount(yield* onlyRowOf(queries.unsent), 'total')
  return unsent + read.amount(yield* onlyRowOf(queries.accruing), 'total')
}
