import { createPaymentId, type NewPayment } from '@farebox/ledger'
import { clientPaymentKey } from '../wire/client-payment-key.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { storePayload } from '../wire/stored-payload.ts'
import type { GatePorts } from './gate-ports.ts'
import type { AdmissionRequest, Offer } from './payment-gate.ts'

type SaleToClaim = {
  readonly signed: SignedPayment
  readonly offer: Offer
  readonly request: AdmissionRequest
  readonly searchFromBlock: number
  readonly isOverlapping?: boolean
}

/** The record of a sale as the ledger claims it: the authorization may be settled for this request. */
export function newPayment(
  { clock, owner, leases, randomBytes, terms }: GatePorts,
  { signed, offer, request, searchFromBlock, isOverlapping = false }: SaleToClaim,
): NewPayment {
  return {
    id: createPaymentId(clock(), randomBytes(10)),
    network: terms.network.caip2,
    kind: 'sale',
    channelId: null,
    authorization: signed.authorization,
    payload: storePayload(signed),
    requestDigest: request.requestDigest,
    resource: request.resource.url,
    model: offer.model,
    priceVersion: offer.priceVersion,
    clientPaymentId: clientPaymentKey(signed),
    intentBlock: searchFromBlock,
    lease: { owner, until: leases.until() },
    createdAt: clock(),
    isOverlapping,
  }
}
