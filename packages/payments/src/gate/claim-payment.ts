import {
  type BeyondBalance,
  type ClaimOutcome,
  createPaymentId,
  type NewPayment,
} from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { storePayload } from '../wire/stored-payload.ts'
import { clientPaymentKey } from './client-payment-key.ts'
import type { GatePorts } from './gate-ports.ts'
import type { AdmissionRequest, Offer } from './payment-gate.ts'

export type Claim = {
  readonly signed: SignedPayment
  readonly offer: Offer
  readonly request: AdmissionRequest
  /** What the payer holds: its payments in flight may not exceed it together. */
  readonly balance: Usdc
  readonly searchFromBlock: number
}

/** Records durably that an authorisation pays for this request and is about to be settled. */
export async function claimPayment(
  ports: GatePorts,
  claim: Claim,
): Promise<ClaimOutcome | BeyondBalance> {
  const { store, clock, owner, leases, randomBytes, terms } = ports
  const { signed, offer, request, balance, searchFromBlock } = claim
  const payment: NewPayment = {
    id: createPaymentId(randomBytes(16)),
    network: terms.network.caip2,
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
  }
  return await store.claimWithin(payment, balance)
}
