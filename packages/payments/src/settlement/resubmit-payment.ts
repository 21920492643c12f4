import type { PaymentRecord } from '@farebox/ledger'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { advancePayment } from './advance-payment.ts'
import type { BeginsWithProof } from './resolve-settlement.ts'
import { type SettlePorts, settlePayment, type WithRisk } from './settle-payment.ts'

export type Resubmission = { readonly payment: PaymentRecord; readonly isSent: boolean }

/** Sends the payload of a payment again, unless another process has changed the payment meanwhile. */
export async function resubmitPayment(
  ports: SettlePorts & BeginsWithProof & WithRisk,
  { payment: read, signed }: { readonly payment: PaymentRecord; readonly signed: SignedPayment },
): Promise<Resubmission> {
  const at = ports.clock()
  // The intent to resubmit is written first; only the replica whose write succeeds sends.
  const intent = await advancePayment(ports.store, read, {
    eventFor: (current) =>
      current.version === read.version
        ? { type: 'settlement_unknown', reason: 'resubmitted', hint: current.settlementHint, at }
        : null,
  })
  if (intent.status === 'superseded') return { payment: intent.payment, isSent: false }
  const payment = await settlePayment(ports, intent.payment, signed)
  return { payment, isSent: true }
}
