import type { Hex, LedgerStore, RefundTransfer, RefundTransferEvent } from '@farebox/ledger'

/** The result of an operator's decision about one refund. */
export type RefundResolution =
  | { readonly status: 'accepted'; readonly transfer: RefundTransfer }
  | { readonly status: 'not_found' }
  /** It is not blocked (or, for a retry, not written off either), so there is nothing to decide. */
  | { readonly status: 'not_blocked'; readonly transfer: RefundTransfer }
  /** Its obstacle is on our side and the payee can be paid: it stays owed. */
  | { readonly status: 'deliverable'; readonly transfer: RefundTransfer }
  /** Refund workers changed it at every attempt: try again. */
  | { readonly status: 'busy'; readonly transfer: RefundTransfer }

export type RefundDecision = {
  readonly store: Pick<LedgerStore, 'loadRefund' | 'applyToRefund'>
  /** The nonce of the refund's transfer, as audits, exports and logs show it. */
  readonly nonce: Hex
  readonly clock: () => number
}

/**
 * Gives up a blocked refund: the refund worker no longer signs or sends it, and writes it off as
 * soon as the last signature over it has expired. `retryRefund` resumes it, before or after that.
 */
export async function writeOffRefund(decision: RefundDecision): Promise<RefundResolution> {
  return await decide(decision, (transfer, at) => {
    if (transfer.status !== 'blocked') return 'not_blocked'
    if (isWriteOffRequested(transfer)) return null
    if (!isUndeliverable(transfer)) return 'deliverable'
    return { type: 'blocked', reason: writeOffRequested, nextAttemptAt: at, at }
  })
}

/** Retries a blocked refund at once; one that was written off is owed again. */
export async function retryRefund(decision: RefundDecision): Promise<RefundResolution> {
  return await decide(decision, (transfer, at) =>
    transfer.status === 'blocked' || transfer.status === 'written_off'
      ? { type: 'unblocked', at }
      : 'not_blocked',
  )
}

/** The reason of a blocked refund whose operator asked to write it off, until that is done. */
const writeOffRequested = 'write_off_requested'

/** Whether a refund is no longer signed or sent, and only waits to be written off. */
export function isWriteOffRequested({ status, reason }: RefundTransfer): boolean {
  return status === 'blocked' && reason === writeOffRequested
}

/** Obstacles of the payee, the nonce or the payment itself: no deposit removes them. */
const lastingReasons: ReadonlySet<string> = new Set([
  'blacklisted_payee',
  'reverts',
  'authorization_canceled',
  'nonce_used_elsewhere',
  'settlement_lost',
])

/** Whether no deposit or repair delivers a refund, so that an operator may write it off. */
export function isUndeliverable({
  status,
  reason,
}: Pick<RefundTransfer, 'status' | 'reason'>): boolean {
  return status === 'blocked' && lastingReasons.has(reason ?? '')
}

type Decide = (
  transfer: RefundTransfer,
  at: number,
) => RefundTransferEvent | 'not_blocked' | 'deliverable' | null

const attempts = 10

async function decide(
  { store, nonce, clock }: RefundDecision,
  eventFor: Decide,
): Promise<RefundResolution> {
  let transfer = await store.loadRefund(nonce)
  if (transfer === undefined) return { status: 'not_found' }
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const event = eventFor(transfer, clock())
    if (event === null) return { status: 'accepted', transfer }
    if (typeof event === 'string') return { status: event, transfer }
    const outcome = await store.applyToRefund(transfer, event)
    transfer = outcome.transfer
    if (outcome.status === 'applied') return { status: 'accepted', transfer }
  }
  return { status: 'busy', transfer }
}
