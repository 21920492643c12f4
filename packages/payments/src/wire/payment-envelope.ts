import { isPaymentPayloadV1, isPaymentPayloadV2, type PaymentPayloadV2 } from '@x402/core/schemas'

/** The envelope of a payment of either protocol: its shape is checked, its contents are not. */
export type PaymentEnvelope = {
  readonly protocol: 1 | 2
  readonly header: 'PAYMENT-SIGNATURE' | 'X-PAYMENT'
  readonly scheme: string
  readonly network: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The requirement that a v2 client claims to pay; null in v1. */
  readonly accepted: PaymentPayloadV2['accepted'] | null
  readonly extensions: Readonly<Record<string, unknown>> | null
}

export type ReadEnvelope =
  | { readonly status: 'absent' }
  | { readonly status: 'malformed'; readonly message: string; readonly param: string }
  | { readonly status: 'read'; readonly envelope: PaymentEnvelope }

/** A typical payment takes about 1 KB; proxies and Node limit headers to about 16 KB. */
const headerLimit = 8_192

/**
 * Reads the payment header: version 2 alone in `PAYMENT-SIGNATURE`, version 1 alone in
 * `X-PAYMENT`. A request with both is rejected, since they could pay for different things.
 */
export function readEnvelope(headers: {
  readonly 'payment-signature'?: string | undefined
  readonly 'x-payment'?: string | undefined
}): ReadEnvelope {
  const { 'payment-signature': v2, 'x-payment': v1 } = headers
  if (v2 !== undefined && v1 !== undefined) {
    return malformed('PAYMENT-SIGNATURE', 'send PAYMENT-SIGNATURE or X-PAYMENT, not both')
  }
  if (v2 !== undefined) return readV2(v2)
  return v1 === undefined ? { status: 'absent' } : readV1(v1)
}

function malformed(param: string, message: string): ReadEnvelope {
  return { status: 'malformed', message: `${param}: ${message}`, param }
}

function readV2(text: string): ReadEnvelope {
  const header = 'PAYMENT-SIGNATURE'
  const json = parseHeader(text)
  if (json.status === 'malformed') return malformed(header, json.message)
  const { value } = json
  if (!isPaymentPayloadV2(value))
    return malformed(header, 'not a payment payload of x402 version 2')
  const { accepted, payload, extensions } = value
  return {
    status: 'read',
    envelope: {
      protocol: 2,
      header,
      scheme: accepted.scheme,
      network: accepted.network,
      payload,
      accepted,
      extensions: extensions ?? null,
    },
  }
}

function readV1(text: string): ReadEnvelope {
  const header = 'X-PAYMENT'
  const json = parseHeader(text)
  if (json.status === 'malformed') return malformed(header, json.message)
  const { value } = json
  if (!isPaymentPayloadV1(value))
    return malformed(header, 'not a payment payload of x402 version 1')
  const { scheme, network, payload } = value
  return {
    status: 'read',
    envelope: { protocol: 1, header, scheme, network, payload, accepted: null, extensions: null },
  }
}

type ParsedHeader =
  | { readonly status: 'parsed'; readonly value: unknown }
  | { readonly status: 'malformed'; readonly message: string }

const base64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/

function parseHeader(text: string): ParsedHeader {
  if (text.length > headerLimit) {
    return { status: 'malformed', message: `longer than ${headerLimit} bytes` }
  }
  if (!base64.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    return { status: 'malformed', message: 'not base64' }
  }
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'))
    return { status: 'parsed', value: JSON.parse(json) }
  } catch {
    return { status: 'malformed', message: 'not JSON in base64' }
  }
}
