import { isUndecided, type PaymentEvent, type PaymentRecord } from '@farebox/ledger'
import type { Observer } from '../events/payment-events.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import { advancePayment } from './advance-payment.ts'
import { readSettlement, type SettlementVerdict } from './settlement-verdict.ts'

export type ResolvedSettlement = {
  readonly payment: PaymentRecord
  readonly verdict: SettlementVerdict
}

/**
 * Reads from the chain whether a payment was settled, and records it. An open verdict changes
 * nothing. A record that another process changed in the meantime is returned as it is.
 *
 * @throws {ChainError} when the node does not answer, and any error of the store.
 */
export async function resolveSettlement(
  ports: PaymentPorts,
  payment: PaymentRecord,
): Promise<ResolvedSettlement> {
  const verdict = await readSettlement(ports.chain, payment, {
    ...ports.policy,
    relayer: ports.relayer,
  })
  return { verdict, payment: await recordVerdict(ports, payment, verdict) }
}

/** Decides whether the service begins in the step that records the proof. */
export type BeginsWithProof = {
  readonly beginsWithProof?: ((payment: PaymentRecord) => boolean) | undefined
}

/** Records a verdict, unless the payment has moved past it. */
export async function recordVerdict(
  ports: PaymentPorts & BeginsWithProof,
  payment: PaymentRecord,
  verdict: SettlementVerdict,
): Promise<PaymentRecord> {
  const { store, clock, notify, beginsWithProof } = ports
  const isExpired = verdict.status === 'rejected' && (await isLostForGood(ports, payment))
  const facts = { at: clock(), isExpired, beginsWithProof }
  const advance = await advancePayment(store, payment, {
    eventFor: (current) => verdictEvent(current, verdict, facts),
  })
  if (advance.status === 'applied') announce(notify, advance.payment, verdict)
  return advance.payment
}

/**
 * Until the authorization has expired on the chain, what used up its nonce can vanish as its
 * transfer did, and then it can be executed again.
 */
async function isLostForGood(
  { chain, policy }: Pick<PaymentPorts, 'chain' | 'policy'>,
  payment: PaymentRecord,
): Promise<boolean> {
  if (isUndecided(payment) || !awaitsTransfer(payment)) return false
  const { timestamp } = await chain.head()
  return timestamp > payment.authorization.validBefore + policy.voidMarginSeconds
}

function verdictEvent(
  payment: PaymentRecord,
  verdict: SettlementVerdict,
  facts: BeginsWithProof & { readonly at: number; readonly isExpired: boolean },
): PaymentEvent | null {
  const { at } = facts
  switch (verdict.status) {
    case 'proven': {
      const begins = isUndecided(payment) && facts.beginsWithProof?.(payment) === true
      return awaitsTransfer(payment)
        ? { type: 'settlement_proven', proof: verdict.proof, begins, at }
        : null
    }
    case 'early':
      return awaitsTransfer(payment)
        ? { type: 'settlement_proven', proof: verdict.proof, at }
        : null
    case 'rejected':
      if (isUndecided(payment)) return { type: 'settlement_rejected', reason: verdict.reason, at }
      return facts.isExpired && awaitsTransfer(payment)
        ? { type: 'authorization_expired', at }
        : null
    case 'expired':
      return awaitsTransfer(payment) ? { type: 'authorization_expired', at } : null
    case 'open':
      return null
  }
}

/** Undecided, rejected but not yet expired, or served before its settlement vanished. */
function awaitsTransfer(payment: PaymentRecord): boolean {
  if (isUndecided(payment) || payment.status === 'rejected') return true
  const isPriced = payment.status === 'completed' || payment.status === 'failed'
  return isPriced && payment.settlement === null && payment.payload !== null
}

function announce(notify: Observer, payment: PaymentRecord, verdict: SettlementVerdict): void {
  switch (verdict.status) {
    case 'proven':
      notify({ type: 'payment_settled', payment })
      announceDeposit(notify, payment)
      break
    case 'early':
      notify({ type: 'payment_unsolicited', payment })
      break
    case 'rejected':
      if (payment.status === 'rejected') {
        notify({ type: 'payment_rejected', payment, reason: verdict.reason })
      } else {
        notify({ type: 'payment_void', payment })
      }
      break
    case 'expired':
      notify({ type: 'payment_void', payment })
      break
    case 'open':
      break
  }
}

function announceDeposit(
  notify: Observer,
  { kind, channelId, authorization, settlement }: PaymentRecord,
): void {
  if (kind !== 'channel_deposit' || channelId === null || settlement === null) return
  const { from: payer, value: amount } = authorization
  const { transaction } = settlement
  notify({ type: 'channel_deposited', channelId, payer, amount, transaction })
}
