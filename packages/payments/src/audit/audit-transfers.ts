import {
  type Hex,
  isUnfinished,
  type PaymentRecord,
  type RefundTransfer,
  type TransferProof,
} from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { channelContract } from '../chain/addresses.ts'
import type { ChainTransfer } from '../chain/chain.ts'
import { batchedRefundNonce, refundNonce } from '../refund-plan/refund-nonce.ts'
import type { AuditedChannels } from './audit-channels.ts'
import type { AuditFinding } from './audit-report.ts'
import { magnitude } from './position-distance.ts'

export type TransferAudit = {
  readonly transfers: readonly ChainTransfer[]
  readonly payments: readonly PaymentRecord[]
  readonly refunds: readonly RefundTransfer[]
  readonly treasury: Hex
  readonly range: { readonly fromBlock: number; readonly toBlock: number }
  readonly ownAccounts: readonly Hex[]
  /** The payments of claims from channels to the treasury. */
  readonly settles: AuditedChannels['settles']
}

export type AuditedTransfers = {
  readonly findings: readonly AuditFinding[]
  readonly received: Usdc
  readonly refunded: Usdc
}

/** Compares each transfer with the ledger's proofs, and each proof with the transfers. */
export function auditTransfers(audit: TransferAudit): AuditedTransfers {
  const books = createBooks(audit)
  const findings: AuditFinding[] = []
  const sums = { received: 0n, refunded: 0n }
  for (const transfer of audit.transfers) {
    // Any account can log a transfer of nothing.
    if (transfer.value === 0n) continue
    const judged = judgeTransfer(books, transfer)
    if (judged === 'received' || judged === 'refunded') sums[judged] += transfer.value
    else if (judged !== 'neutral') findings.push(findingOf(books, judged, transfer))
  }
  return {
    findings: [...findings, ...missingOf(audit)],
    received: atomicUsdc(sums.received),
    refunded: atomicUsdc(sums.refunded),
  }
}

type Books = Pick<TransferAudit, 'treasury' | 'settles'> & {
  readonly settlements: ReadonlyMap<string, PaymentRecord>
  readonly claims: ReadonlyMap<string, PaymentRecord>
  readonly refunds: ReadonlyMap<string, RefundTransfer>
  readonly refundOf: ReadonlyMap<Hex, RefundTransfer>
  /** Nonces of refunds for money that is missing in a restored ledger. */
  readonly unrecorded: ReadonlySet<string>
  readonly ownAccounts: ReadonlySet<string>
}

function createBooks({
  payments,
  refunds,
  transfers,
  treasury,
  settles,
  ownAccounts,
}: TransferAudit): Books {
  const claims = new Map(
    payments.map((payment) => {
      const { from, nonce } = payment.authorization
      return [`${from}:${nonce}`, payment]
    }),
  )
  return {
    treasury,
    settles,
    claims,
    settlements: byPlace(payments, ({ settlement }) => settlement),
    refunds: byPlace(refunds, ({ proof }) => proof),
    refundOf: new Map(refunds.map((refund) => [refund.nonce, refund])),
    unrecorded: unrecordedNonces({ payments, transfers, treasury, claims }),
    ownAccounts: new Set(ownAccounts),
  }
}

function byPlace<Entry>(
  entries: readonly Entry[],
  proofOf: (entry: Entry) => TransferProof | null,
): ReadonlyMap<string, Entry> {
  return new Map(
    entries.flatMap((entry) => {
      const proof = proofOf(entry)
      return proof === null ? [] : [[placeInTransaction(proof), entry]]
    }),
  )
}

/** In any block: a reorganization may have moved a transfer, and its proof is renewed later. */
function placeInTransaction({
  transaction,
  logIndex,
}: Pick<TransferProof, 'transaction' | 'logIndex'>): string {
  return `${transaction}:${logIndex}`
}

/** How many transfers of small refunds to one payer to search for after a restored backup. */
const sequencesSearched = 64

/**
 * The nonces that refunds of unknown inbound money would have: those of single refunds, and those of
 * batched small refunds to every account that was paid. They are derived from the chain alone.
 */
function unrecordedNonces({
  payments,
  transfers,
  treasury,
  claims,
}: Pick<TransferAudit, 'payments' | 'transfers' | 'treasury'> &
  Pick<Books, 'claims'>): Set<string> {
  const network = payments[0]?.authorization
  const nonces = new Set<string>()
  if (network === undefined) return nonces
  const { chainId, asset } = network
  for (const { from, nonce } of transfers) {
    if (nonce === null || from === treasury || claims.has(`${from}:${nonce}`)) continue
    nonces.add(refundNonce({ chainId, asset, from, nonce }))
  }
  // Unsolicited money in suspense may have been served and refunded before a backup was restored.
  for (const { status, authorization } of payments) {
    if (status === 'settled') nonces.add(refundNonce(authorization))
  }
  const payees = new Set(transfers.filter(({ from }) => from === treasury).map(({ to }) => to))
  for (const payer of payees) {
    for (let sequence = 0; sequence < sequencesSearched; sequence += 1) {
      nonces.add(batchedRefundNonce({ chainId, asset, payer, sequence }))
    }
  }
  return nonces
}

type Judged = AuditFinding['kind'] | 'received' | 'refunded' | 'neutral'

function judgeTransfer(books: Books, transfer: ChainTransfer): Judged {
  if (transfer.from === books.treasury) return judgeOutbound(books, transfer)
  const isPaidClaim = transfer.from === channelContract && isSettle(books, transfer)
  return isPaidClaim ? 'received' : judgeInbound(books, transfer)
}

/** Whether a transfer to the treasury paid claims, as the contract's log in its transaction shows. */
function isSettle({ settles }: Books, transfer: ChainTransfer): boolean {
  return settles.some(
    ({ amount, proof }) =>
      amount === transfer.value && proof.transaction === transfer.proof.transaction,
  )
}

function judgeInbound(books: Books, transfer: ChainTransfer): Judged {
  const payment = books.settlements.get(placeInTransaction(transfer.proof))
  if (payment !== undefined) {
    const { from, value } = payment.authorization
    return from === transfer.from && value === transfer.value ? 'received' : 'transfer_differs'
  }
  const claimed = books.claims.get(`${transfer.from}:${transfer.nonce ?? ''}`)
  // A payer may use a claimed nonce for another transfer, which pays for nothing.
  if (claimed === undefined || claimed.authorization.value !== transfer.value) return 'suspense'
  return isUnfinished(claimed) ? 'settlement_in_progress' : 'transfer_differs'
}

function judgeOutbound(books: Books, transfer: ChainTransfer): Judged {
  const { to, nonce, proof } = transfer
  if (to === books.treasury) return 'neutral'
  const proven = books.refunds.get(placeInTransaction(proof))
  if (proven !== undefined)
    return isPaidBy(proven, transfer) ? 'refunded' : differing(proven, transfer)
  const signed = nonce === null ? undefined : books.refundOf.get(nonce)
  if (signed !== undefined) {
    const isOpen = !['final', 'written_off'].includes(signed.status)
    return isOpen && isPaidBy(signed, transfer) ? 'refund_in_progress' : differing(signed, transfer)
  }
  if (nonce !== null && books.unrecorded.has(nonce)) return 'unrecorded_refund'
  return books.ownAccounts.has(to) ? 'sweep' : 'outbound_without_refund'
}

function isPaidBy({ payer, amount }: RefundTransfer, { to, value }: ChainTransfer): boolean {
  return payer === to && amount === value
}

/** A transfer of batched refunds may also have paid what is missing from a restored backup. */
function differing(
  { payer, amount, sequence }: RefundTransfer,
  { to, value }: ChainTransfer,
): Judged {
  const isBatched = sequence !== null && payer === to && amount < value
  return isBatched ? 'unrecorded_refund' : 'transfer_differs'
}

function findingOf(
  books: Books,
  kind: AuditFinding['kind'],
  { from, value, nonce, proof }: ChainTransfer,
): AuditFinding {
  const place = placeInTransaction(proof)
  // Any payer can use the nonce of a refund for a payment of its own.
  const isRefund = from === books.treasury && nonce !== null
  const signed = isRefund ? books.refundOf.get(nonce) : undefined
  const refund = books.refunds.get(place) ?? signed
  const booked = refund?.amount ?? books.settlements.get(place)?.authorization.value ?? 0n
  const difference = magnitude(value - booked)
  const amount = booked > 0n && difference > 0n ? atomicUsdc(difference) : value
  return { kind, amount, nonce, transaction: proof.transaction, paymentId: null }
}

/** Proofs of the ledger that the chain does not hold. */
function missingOf({
  transfers,
  payments,
  refunds,
  range,
}: TransferAudit): readonly AuditFinding[] {
  const places = new Set(transfers.map(({ proof }) => placeInTransaction(proof)))
  const isMissing = (proof: TransferProof | null): proof is TransferProof =>
    proof !== null &&
    proof.block >= range.fromBlock &&
    proof.block <= range.toBlock &&
    !places.has(placeInTransaction(proof))
  return [
    ...payments.flatMap(({ id, authorization, settlement }) =>
      isMissing(settlement)
        ? [
            missing('settlement_missing', settlement, {
              ...authorization,
              amount: authorization.value,
              id,
            }),
          ]
        : [],
    ),
    ...refunds.flatMap(({ payments: [id], nonce, amount, proof }) =>
      isMissing(proof) ? [missing('refund_missing', proof, { nonce, amount, id })] : [],
    ),
  ]
}

function missing(
  kind: AuditFinding['kind'],
  { transaction }: TransferProof,
  { id, nonce, amount }: { id: PaymentRecord['id'] | undefined; nonce: Hex; amount: Usdc },
): AuditFinding {
  return { kind, amount, nonce, transaction, paymentId: id ?? null }
}
