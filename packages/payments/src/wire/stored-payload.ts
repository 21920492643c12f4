import type { Hex, PaymentRecord } from '@farebox/ledger'
import { parseHex } from '../chain/hex.ts'
import { isObject } from './is-object.ts'
import { paymentPayload } from './payment-payload.ts'
import type { SignedPayment } from './signed-payment.ts'

/**
 * A signed payment in the form in which the ledger stores it for as long as it may have to be sent
 * again. The authorization is in the record itself, so the payload of a sale is built again from
 * it; the client's identifier has its own column. Each write to the record copies what is here.
 */
export function storePayload(payment: SignedPayment): string {
  const { protocol, network, signature, payload, requirements } = payment
  const { resource, payload: sent } = payload
  const kept = isObject(sent) && 'authorization' in sent ? { resource } : { payload }
  return JSON.stringify({ protocol, network, signature, requirements, ...kept })
}

/** The signed payment of a record; undefined when it is no longer stored. */
export function restorePayload(record: PaymentRecord): SignedPayment | undefined {
  if (record.payload === null) return undefined
  const stored: unknown = JSON.parse(record.payload)
  if (!isObject(stored)) return undefined
  const { protocol, network, requirements } = stored
  const signature: Hex | undefined = parseHex(stored['signature'])
  if (protocol !== 1 && protocol !== 2) return undefined
  if (typeof network !== 'string' || signature === undefined) return undefined
  if (!isObject(requirements)) return undefined
  const { authorization, clientPaymentId } = record
  const payload = isObject(stored['payload'])
    ? stored['payload']
    : paymentPayload({ requirements, resource: resourceIn(stored), authorization, signature })
  return { protocol, network, authorization, signature, payload, requirements, clientPaymentId }
}

function resourceIn({ resource }: Readonly<Record<string, unknown>>) {
  return isObject(resource) ? resource : undefined
}
