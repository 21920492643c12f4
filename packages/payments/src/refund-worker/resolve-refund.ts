import type { Hex, LedgerStore, RefundTransfer, RefundTransferEvent } from '@farebox/ledger'
import { isGivenUp, writeOffRequested } from './write-off.ts'

/** What became of an operator's word about one refund. */
export type RefundResolution =
  | { readonly status: 'accepted'; readonly refundTransfer: RefundTransfer }
  | { readonly status: 'not_found' }
  /** It is not blocked (or, for a retry, not written off either): there is nothing to decide. */
  | { readonly status: 'not_blocked'; readonly refundTransfer: RefundTransfer }
  /** What is in the way lies with us, and its payee can take it: it stays owed. */
  | { readonly status: 'deliverable'; readonly refundTransfer: RefundTransfer }
  /** Workers changed it each time that we tried. */
  | { readonly status: 'busy'; readonly refundTransfer: RefundTransfer }

export type RefundDecision = {
  readonly store: Pick<LedgerStore, 'loadRefund' | 'applyToRefund'>
  /** Of the refund's transfer, as audits, exports and logs show it. */
  readonly nonce: Hex
  readonly clock: () => number
}

/**
 * Gives a blocked refund up: the refund worker signs and sends it no more, and writes it off as soon
 * as the last signature over it is over. `retryRefund` takes it up again, before that or after.
 */
export async function writeOffRefund(decision: RefundDecision): Promise<RefundResolution> {
  return await decide(decision, (refundTransfer, at) => {
    if (refundTransfer.status !== 'blocked') return 'not_blocked'
    if (isGivenUp(refundTransfer)) return null
    if (!lastingReasons.has(refundTransfer.reason ?? '')) return 'deliverable'
    return { type: 'blocked', reason: writeOffRequested, nextAttemptAt: at, at }
  })
}

/** Tries a blocked refund at once, and owes one again that was written off. */
export async function retryRefund(decision: RefundDecision): Promise<RefundResolution> {
  return await decide(decision, (refundTransfer, at) =>
    refundTransfer.status === 'blocked' || refundTransfer.status === 'written_off'
      ? { type: 'unblocked', at }
      : 'not_blocked',
  )
}

/** Obstacles that lie with the payee, the nonce or the payment itself: no deposit removes them. */
const lastingReasons: ReadonlySet<string> = new Set([
  'blacklisted_payee',
  'reverts',
  'authorization_canceled',
  'nonce_used_elsewhere',
  'settlement_lost',
])

type Judge = (
  refundTransfer: RefundTransfer,
  at: number,
) => RefundTransferEvent | 'not_blocked' | 'deliverable' | null

const attempts = 10

async function decide(
  { store, nonce, clock }: RefundDecision,
  judge: Judge,
): Promise<RefundResolution> {
  let refundTransfer = await store.loadRefund(nonce)
  if (refundTransfer === undefined) return { status: 'not_found' }
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const event = judge(refundTransfer, clock())
    if (event === null) return { status: 'accepted', refundTransfer }
    if (typeof event === 'string') return { status: event, refundTransfer }
    const outcome = await store.applyToRefund(refundTransfer, event)
    refundTransfer = outcome.refundTransfer
    if (outcome.status === 'applied') return { status: 'accepted', refundTransfer }
  }
  return { status: 'busy', refundTransfer }
}
