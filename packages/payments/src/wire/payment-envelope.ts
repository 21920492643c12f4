import { isPaymentPayloadV1, type PaymentPayloadV2 } from '@x402/core/schemas'
import { isObject } from './is-object.ts'

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
  if (!isPayloadV2(value)) return wrongPayload(value, { header, version: 2, fields: fieldsOfV2 })
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

/** Each field, with whether a value is right for it. */
type Fields = readonly (readonly [name: string, isRight: (value: unknown) => boolean])[]

type Expected = {
  readonly header: PaymentEnvelope['header']
  readonly version: 1 | 2
  readonly fields: Fields
}

/** Names the field that is not as it must be. */
function wrongPayload(value: unknown, { header, version, fields }: Expected): ReadEnvelope {
  const wrong = (param: string, why: string): ReadEnvelope => {
    const message = `${header}: not a payment payload of x402 version ${version}: ${why}`
    return { status: 'malformed', message, param }
  }
  if (!isObject(value)) return wrong(header, `x402Version must be ${version}`)
  if (value['x402Version'] === 3 - version) {
    const other = version === 2 ? 'version 1 in X-PAYMENT' : 'version 2 in PAYMENT-SIGNATURE'
    return wrong(header, `send one of ${other}`)
  }
  const name = wrongField(value, fields) ?? 'x402Version'
  const { accepted } = value
  if (name === 'accepted' && isObject(accepted)) {
    const param = `accepted.${wrongField(accepted, fieldsOfRequirement)}`
    return wrong(param, `${param} must be that of an entry of accepts`)
  }
  return wrong(name, `${name} must be ${forms[name] ?? version}`)
}

/** What a field must be, other than the version. */
const forms: Readonly<Record<string, string>> = {
  payload: 'an object',
  accepted: 'an entry of accepts',
  resource: 'that of the 402',
  extensions: 'an object',
  scheme: 'that of an entry of accepts',
  network: 'that of an entry of accepts',
}

function wrongField(value: Readonly<Record<string, unknown>>, fields: Fields): string | undefined {
  return fields.find(([name, isRight]) => !isRight(value[name]))?.[0]
}

/** As `isPaymentPayloadV2` of @x402/core decides, in a tenth of its time. */
function isPayloadV2(value: unknown): value is PaymentPayloadV2 {
  return isObject(value) && wrongField(value, fieldsOfV2) === undefined
}

const isName = (value: unknown): boolean => isText(value, 1)

const fieldsOfRequirement: Fields = [
  ['scheme', isName],
  ['network', (value) => isText(value, 3) && value.includes(':')],
  ['amount', isName],
  ['asset', isName],
  ['payTo', isName],
  ['maxTimeoutSeconds', (value) => typeof value === 'number' && value > 0],
  ['extra', (value) => isOptional(value, isObject)],
]

const fieldsOfV2: Fields = [
  ['x402Version', (value) => value === 2],
  ['payload', isObject],
  ['accepted', (value) => isObject(value) && wrongField(value, fieldsOfRequirement) === undefined],
  ['resource', (value) => isOptional(value, isResource)],
  ['extensions', (value) => isOptional(value, isObject)],
]

const fieldsOfV1: Fields = [
  ['x402Version', (value) => value === 1],
  ['scheme', isName],
  ['network', isName],
  ['payload', isObject],
]

function isResource(value: unknown): boolean {
  if (!isObject(value)) return false
  const { url, description, mimeType, serviceName, tags, iconUrl } = value
  return (
    isText(url, 1) &&
    [description, mimeType].every((text) => isOptional(text, isText)) &&
    isOptional(serviceName, isLabel) &&
    isOptional(tags, (list) => Array.isArray(list) && list.length <= 5 && list.every(isLabel)) &&
    isOptional(iconUrl, (text) => isText(text) && text.length <= 2048)
  )
}

const label = /^[\x20-\x7e]{1,32}$/

function isLabel(value: unknown): boolean {
  return isText(value) && label.test(value)
}

function isText(value: unknown, minLength = 0): value is string {
  return typeof value === 'string' && value.length >= minLength
}

function isOptional(value: unknown, isValid: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || isValid(value)
}

function readV1(text: string): ReadEnvelope {
  const header = 'X-PAYMENT'
  const json = parseHeader(text)
  if (json.status === 'malformed') return malformed(header, json.message)
  const { value } = json
  if (!isPaymentPayloadV1(value)) {
    return wrongPayload(value, { header, version: 1, fields: fieldsOfV1 })
  }
  const { scheme, network, payload } = value
  return {
    status: 'read',
    envelope: { protocol: 1, header, scheme, network, payload, accepted: null, extensions: null },
  }
}

/** The text of a header whose value is JSON, as all headers of x402 write it. */
export function encodeHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

type ParsedHeader =
  | { readonly status: 'parsed'; readonly value: unknown }
  | { readonly status: 'malformed'; readonly message: string }

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const base64 = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/

function parseHeader(text: string): ParsedHeader {
  if (text.length > headerLimit) {
    return { status: 'malformed', message: `must be at most ${headerLimit} bytes` }
  }
  if (!base64.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    return { status: 'malformed', message: 'must be base64' }
  }
  try {
    const json = strictUtf8.decode(Buffer.from(text, 'base64'))
    return { status: 'parsed', value: JSON.parse(json) }
  } catch {
    return { status: 'malformed', message: 'must be JSON in base64' }
  }
}
