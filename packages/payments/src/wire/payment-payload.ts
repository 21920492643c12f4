import type { Authorization, Hex } from '@farebox/ledger'
import type { PaymentRequirements, ResourceInfo } from './payment-requirements.ts'

/** The v2 payload that a facilitator receives: known fields only, in wire format. */
export function paymentPayload({
  requirements,
  resource,
  authorization,
  signature,
}: {
  readonly requirements: PaymentRequirements
  /** What is paid for; absent when a refund is sent as a payment. */
  readonly resource?: ResourceInfo
  readonly authorization: Omit<Authorization, 'chainId' | 'asset'>
  readonly signature: Hex
}): Readonly<Record<string, unknown>> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return {
    x402Version: 2,
    ...(resource === undefined ? {} : { resource }),
    accepted: requirements,
    payload: {
      signature,
      authorization: {
        from,
        to,
        value: value.toString(),
        validAfter: validAfter.toString(),
        validBefore: validBefore.toString(),
        nonce,
      },
    },
  }
}
