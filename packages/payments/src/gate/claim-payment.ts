import {
  type BeyondBalance,
  type ClaimOutcome,
  createPaymentId,
  type NewPayment,
} from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { clientPaymentKey } from '../wire/client-payment-key.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { storePayload } from '../wire/stored-payload.ts'
import type { GatePorts } from './gate-ports.ts'
import type { AdmissionRequest, Offer } from './payment-gate.ts'

export type Claim = {
  readonly signed: SignedPayment
  readonly offer: Offer
  readonly request: AdmissionRequest
  readonly searchFromBlock: number
  readonly isOverlapping?: boolean
}

/** Records durably that an authorization was presented for this request and may be settled. */
export async function claimPayment(ports: GatePorts, claim: Claim): Promise<ClaimOutcome> {
  return await ports.store.claim(newPayment(ports, claim))
}

/** The same, unless the payer's payments in flight exceed its balance together with this one. */
export async function claimWithin(
  ports: GatePorts,
  claim: Claim,
  balance: Usdc,
): Promise<ClaimOutcome | BeyondBalance> {
  return await ports.store.claimWithin(newPayment(ports, claim), balance)
}

/** A sale as it is claimed. */
export function newPayment(
  { clock, owner, leases, randomBytes, terms }: GatePorts,
  { signed, offer, request, searchFromBlock, isOverlapping = false }: Claim,
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
