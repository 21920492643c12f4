import type { Authorization, Hex } from '@farebox/ledger'

/** The v2 payload that a facilitator receives: known fields only, in wire format. */
export function paymentPayload({
  requirements,
  resource,
  authorization,
  signature,
}: {
  readonly requirements: Readonly<Record<string, unknown>>
  /** What is paid for; absent when a refund is sent as a payment. */
  readonly resource?: Readonly<Record<string, unknown>> | undefined
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
