import { recordRejection } from '../settlement/settle-payment.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import type { PayerRefusal } from './check-payer.ts'
import type { GatePorts } from './gate-ports.ts'
import { newPayment } from './new-payment.ts'
import type { Admission, AdmissionRequest, Offer } from './payment-gate.ts'
import { resumePayment } from './resume-payment.ts'

type RefusedSale = {
  readonly request: AdmissionRequest
  readonly offer: Offer
  readonly signed: SignedPayment
  readonly refusal: PayerRefusal
}

/** More refusals of one payer are not recorded before the first of them have expired. */
const maxRecorded = 10

/**
 * Refuses a payer, with a 402: its authorization will not be used. A refund of ours may raise the
 * balance before a copy of the request arrives, so while the ledger has payments or refunds of this
 * payer open, the refusal is recorded. A payer without any leaves nothing in the ledger.
 */
export async function refusePayer(ports: GatePorts, sale: RefusedSale): Promise<Admission> {
  const { store, admissions } = ports
  const { request, signed, refusal } = sale
  if (!refusal.isShort) return admissions.refused(request, refusal)
  const open = await store.openPayments(signed.authorization)
  if (open.others === 0) return admissions.refused(request, refusal)
  if (open.rejected >= maxRecorded) return admissions.balanceInUse(signed)

  const { number: searchFromBlock } = await ports.recentHead()
  const claim = await store.claim(newPayment(ports, { ...sale, searchFromBlock }))
  if (claim.status !== 'claimed') {
    return await resumePayment(ports, claim.payment, { request, protocol: signed.protocol })
  }
  const payment = await recordRejection(ports, claim.payment, refusal.reason)
  return payment.status === 'rejected'
    ? admissions.refused(request, refusal)
    : admissions.unknown(payment)
}
