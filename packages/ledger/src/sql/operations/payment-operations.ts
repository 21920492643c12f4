import { LedgerError, type OnCorruptRow } from '../../payment/ledger-error.ts'
import type { PaymentEvent } from '../../payment/payment-event.ts'
import type { Lease, PaymentId, PaymentRecord } from '../../payment/payment-record.ts'
import {
  type AuthorizationKey,
  canonicalKey,
  canonicalPayer,
  claimedRecord,
  mustBe,
} from '../../store/claim-payment.ts'
import type {
  ApplyOutcome,
  BeyondBalance,
  ClaimOutcome,
  KnownClaim,
  LeaseRequest,
  NewPayment,
  OpenPayments,
  PayerKey,
  PayerSpending,
  SpendingSearch,
  StoredAnswer,
} from '../../store/ledger-store.ts'
import { changePayment, type PaymentChange } from '../../transition/payment-change.ts'
import type { Queries } from '../queries/queries.ts'
import {
  type Operation,
  onlyRowOf,
  type Row,
  rowsOf,
  type SqlValue,
  type Values,
  writtenBy,
} from '../queries/query.ts'
import {
  entryColumns,
  leaseColumns,
  paymentColumns,
  paymentIn,
  stateColumns,
} from '../rows/payment-row.ts'
import * as read from '../rows/read-row.ts'
import { insertRefund } from './insert-refund.ts'
import { readable } from './paged.ts'
import { writeToChannel } from './write-to-channel.ts'

/** The insertion is the claim: a second claim inserts nothing and reads the first. */
export function* claim(queries: Queries, payment: NewPayment): Operation<ClaimOutcome> {
  const record = claimedRecord(mustBe('sale', payment))
  const inserted = yield* writtenBy(queries.insertPayment, paymentColumns(record))
  if (inserted > 0) return { status: 'claimed', payment: record }
  return (yield* findTaken(queries, record)) ?? throwDuplicate(record)
}

/** The balance is judged with the insertion, so that concurrent claims cannot exceed it together. */
export function* claimWithin(
  queries: Queries,
  payment: NewPayment,
  balance: bigint,
): Operation<ClaimOutcome | BeyondBalance> {
  const record = claimedRecord(mustBe('sale', payment))
  const inserted = yield* insertWithin(queries, record, balance)
  if (inserted) return { status: 'claimed', payment: record }
  const taken = yield* findTaken(queries, record)
  if (taken !== undefined) return taken
  const sameId = yield* load(queries, record.id)
  return sameId === undefined ? { status: 'beyond_balance' } : throwDuplicate(record)
}

/** Whether the payment was inserted: it is new, and the balance covers it and those in flight. */
export function* insertWithin(
  queries: Queries,
  record: PaymentRecord,
  balance: bigint,
): Operation<boolean> {
  const values = {
    ...paymentColumns(record),
    balance: balance < maxBalance ? balance : maxBalance,
  }
  if (queries.fits !== null && (yield* rowsOf(queries.fits, values)).length === 0) return false
  return (yield* writtenBy(queries.insertPaymentWithin, values)) > 0
}

/** A balance beyond 64 bits covers any amount in flight. */
const maxBalance = 0x7fff_ffff_ffff_ffffn

export function* findTaken(
  queries: Queries,
  { authorization, clientPaymentId }: PaymentRecord,
): Operation<Extract<ClaimOutcome, { readonly status: 'taken' }> | undefined> {
  const payment =
    (yield* findByAuthorization(queries, authorization)) ??
    (clientPaymentId === null ? undefined : yield* findByClientPaymentId(queries, clientPaymentId))
  return payment === undefined ? undefined : { status: 'taken', payment }
}

export function throwDuplicate({ id }: PaymentRecord): never {
  throw new LedgerError('duplicate_id', `${id} is already the id of another payment`)
}

export function* openPayments(queries: Queries, payer: PayerKey): Operation<OpenPayments> {
  const row = yield* onlyRowOf(queries.openPayments, payerColumns(payer))
  return { rejected: read.whole(row, 'rejected'), others: read.whole(row, 'others') }
}

export function* undecidedFrom(queries: Queries, payer: PayerKey): Operation<number | null> {
  return read.wholeOrNull(yield* onlyRowOf(queries.undecidedFrom, payerColumns(payer)), 'block')
}

function payerColumns(payer: PayerKey): Values {
  const { chainId, asset, from } = canonicalPayer(payer)
  return { chain_id: BigInt(chainId), asset, payer: from }
}

export function* payerSpending(
  queries: Queries,
  { payer, requestsSince, spentSince }: SpendingSearch,
): Operation<PayerSpending> {
  const row = yield* onlyRowOf(queries.payerSpending, {
    ...payerColumns(payer),
    requests_since: BigInt(requestsSince),
    spent_since: BigInt(spentSince),
  })
  const requests = read.whole(row, 'requests')
  return {
    requests,
    firstRequestAt: requests === 0 ? null : read.whole(row, 'first_request_at'),
    spent: read.amount(row, 'spent'),
  }
}

export function* load(queries: Queries, id: PaymentId): Operation<PaymentRecord | undefined> {
  return first(yield* rowsOf(queries.payment, { id }))
}

export function* findByAuthorization(
  queries: Queries,
  key: AuthorizationKey,
): Operation<PaymentRecord | undefined> {
  return first(yield* rowsOf(queries.paymentByAuthorization, keyColumns(key)))
}

export function* claimsOf(
  queries: Queries,
  keys: readonly AuthorizationKey[],
): Operation<readonly (KnownClaim | undefined)[]> {
  const claims: (KnownClaim | undefined)[] = []
  for (const key of keys) {
    const [row] = yield* rowsOf(queries.claimOf, keyColumns(key))
    claims.push(row && { reason: read.textOrNull(row, 'reason') })
  }
  return claims
}

function keyColumns(key: AuthorizationKey): Values {
  const { chainId, asset, from, nonce } = canonicalKey(key)
  return { chain_id: BigInt(chainId), asset, payer: from, nonce }
}

export function* findByClientPaymentId(
  queries: Queries,
  clientPaymentId: string,
): Operation<PaymentRecord | undefined> {
  return first(yield* rowsOf(queries.paymentByClientId, { client_payment_id: clientPaymentId }))
}

export type PaymentWrite = {
  readonly payment: PaymentRecord
  readonly event: PaymentEvent
  readonly answer: StoredAnswer | undefined
}

/**
 * The caller's record is the state at its version, so nothing is read before the write: the update
 * either finds that version or reports a conflict.
 */
export function* apply(
  queries: Queries,
  { payment, event, answer }: PaymentWrite,
): Operation<ApplyOutcome> {
  const change = yield* changeUnlessOutdated(queries, payment, event)
  if (change === null) return yield* conflict(queries, payment.id)
  const lease = yield* update(queries, payment, change.payment)
  if (lease === undefined) return yield* conflict(queries, payment.id)
  yield* writeEntries(queries, change)
  if (change.payment.status === 'serving' && payment.status !== 'serving') {
    yield* rowsOf(queries.insertDispatch, { payment_id: payment.id, at: BigInt(event.at) })
  }
  if (change.transfer !== null && !(yield* insertRefund(queries, change.transfer))) {
    const { nonce } = change.transfer
    throw new LedgerError(
      'refund_exists',
      `${nonce} is already the nonce of another refund transfer`,
    )
  }
  const channel = payment.channelId === null ? undefined : yield* writeToChannel(queries, change)
  if (answer !== undefined) yield* putAnswer(queries, payment.id, answer)
  return { status: 'applied', payment: { ...change.payment, lease }, channel }
}

/** An event that is not allowed on an outdated version is a conflict, not an error. */
function* changeUnlessOutdated(
  queries: Queries,
  payment: PaymentRecord,
  event: PaymentEvent,
): Operation<PaymentChange | null> {
  try {
    return changePayment(payment, event)
  } catch (error) {
    const current = yield* mustLoad(queries, payment.id)
    if (current.version === payment.version) throw error
    return null
  }
}

function* conflict(queries: Queries, id: PaymentId): Operation<ApplyOutcome> {
  return { status: 'conflict', payment: yield* mustLoad(queries, id) }
}

function* mustLoad(queries: Queries, id: PaymentId): Operation<PaymentRecord> {
  const payment = yield* load(queries, id)
  if (payment === undefined) throw new LedgerError('not_found', `${id} is not in the ledger`)
  return payment
}

/**
 * Writes what differs between two versions. The result is the lease of the row, `undefined` when it
 * has another version than `before`.
 */
function* update(
  queries: Queries,
  before: PaymentRecord,
  after: PaymentRecord,
): Operation<Lease | null | undefined> {
  const [known, values] = [stateColumns(before), stateColumns(after)]
  const version = BigInt(before.version)
  const row = { ...values, ...leaseColumns(before), id: after.id, before: version }
  if (queries.updateLeasedPayment !== null) {
    const written = yield* writtenBy(queries.updateLeasedPayment(known, values), row)
    if (written > 0) return before.lease
  }
  const [updated] = yield* rowsOf(queries.updatePayment(known, values), row)
  return updated && read.leaseIn(updated)
}

/** Writes changes of payments whose rows are locked. */
export function* writeChanges(
  queries: Queries,
  locked: readonly PaymentRecord[],
  changes: readonly PaymentChange[],
): Operation<void> {
  const before = new Map(locked.map((payment) => [payment.id, payment]))
  for (const change of changes) {
    const { id } = change.payment
    const known = before.get(id)
    const lease = known && (yield* update(queries, known, change.payment))
    if (lease === undefined) throw new LedgerError('store_unavailable', `${id} was not locked`)
    yield* writeEntries(queries, change)
  }
}

export function* writeEntries(
  queries: Queries,
  { entries }: Pick<PaymentChange, 'entries'>,
): Operation<void> {
  for (const entry of entries) yield* rowsOf(queries.insertEntry, entryColumns(entry))
}

function* putAnswer(queries: Queries, id: PaymentId, answer: StoredAnswer): Operation<void> {
  yield* rowsOf(queries.putAnswer, {
    payment_id: id,
    status_code: BigInt(answer.statusCode),
    content_type: answer.contentType,
    body: answer.body,
    expires_at: BigInt(answer.expiresAt),
  })
}

export function* loadAnswer(
  queries: Queries,
  id: PaymentId,
  now: number,
): Operation<StoredAnswer | undefined> {
  const [row] = yield* rowsOf(queries.answer, { id, now: BigInt(now) })
  if (row === undefined) return undefined
  const body = row['body']
  if (!(body instanceof Uint8Array)) throw new LedgerError('corrupt_row', `answer of ${id}`)
  return {
    statusCode: read.whole(row, 'status_code'),
    contentType: read.text(row, 'content_type'),
    body: new Uint8Array(body),
    expiresAt: read.whole(row, 'expires_at'),
  }
}

export function* lease(
  queries: Queries,
  id: PaymentId,
  request: Omit<LeaseRequest, 'limit'>,
): Operation<PaymentRecord | undefined> {
  return first(yield* rowsOf(queries.leasePayment, { id, ...leaseValues(request) }))
}

export function* leaseUnfinished(
  queries: Queries,
  request: LeaseRequest,
  onCorrupt?: OnCorruptRow,
): Operation<readonly PaymentRecord[]> {
  const values = { ...leaseValues(request), limit: BigInt(request.limit) }
  const rows = yield* rowsOf(queries.leaseUnfinished, values)
  return readable(rows.toSorted(byColumns('created_at', 'seq')), paymentIn, onCorrupt)
}

export function leaseValues({
  owner,
  until,
  now,
}: Omit<LeaseRequest, 'limit'>): Record<'owner' | 'until' | 'now', SqlValue> {
  return { owner, until: BigInt(until), now: BigInt(now) }
}

/** An update returns rows in no particular order. */
export function byColumns(...columns: readonly string[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const column of columns) {
      const difference = read.amount(a, column) - read.amount(b, column)
      if (difference !== 0n) return difference < 0n ? -1 : 1
    }
    return 0
  }
}

function first([row]: readonly Row[]): PaymentRecord | undefined {
  return row === undefined ? undefined : paymentIn(row)
}
