import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { FareboxError } from '../farebox-error.ts'
import { isRecord } from '../http/is-record.ts'
import { isText } from '../http/is-text.ts'
import { decodeBase64Json } from './base64-json.ts'
import type { PaymentNetwork } from './payment-network.ts'

/** The networks that the client pays on, and the only payee that it accepts. */
export type PaymentTerms = {
  readonly networks: readonly PaymentNetwork[]
  /** If set, pay only this address. */
  readonly payTo: string | undefined
}

/** One way to pay, as x402 version 2 states it. */
export type PaymentRequirements = {
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly amount: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** The `PAYMENT-REQUIRED` header of a 402, decoded. */
export type PaymentChallenge = {
  /** Why a payment was rejected, as a code of x402. */
  readonly error?: string | undefined
  readonly resource: unknown
  readonly extensions: unknown
  readonly accepts: readonly PaymentRequirements[]
}

/** The accepted offer, ready to be signed. */
export type PaymentOffer = {
  readonly amount: Usdc
  readonly network: PaymentNetwork
  readonly accepted: PaymentRequirements
  readonly challenge: PaymentChallenge
}

/**
 * Chooses the cheapest offer of a 402 for USDC with the `exact` scheme on a network of the terms.
 * Throws `no_acceptable_payment`, which lists the offers.
 */
export function choosePaymentOffer(headers: Headers, terms: PaymentTerms): PaymentOffer {
  const challenge = readChallenge(headers.get('payment-required'))
  const [cheapest] = challenge.accepts
    .flatMap((accepted) => acceptable(accepted, challenge, terms))
    .sort((a, b) => (a.amount < b.amount ? -1 : 1))
  if (cheapest !== undefined) return cheapest
  const { networks, payTo } = terms
  const to = (payee: string, only = ''): string =>
    payTo === undefined ? '' : ` ${only}to ${payee}`
  const offers = challenge.accepts.map(
    ({ scheme, network, asset, payTo: payee }) => `${scheme} ${asset} on ${network}${to(payee)}`,
  )
  const ours = networks.map(({ id }) => id).join(', ')
  throw new FareboxError(
    'no_acceptable_payment',
    `The server accepts ${offers.join(', ') || 'no payment'}; this client pays USDC on ${ours}${to(payTo ?? '', 'only ')}.`,
    { status: 402 },
  )
}

/** Decodes the `PAYMENT-REQUIRED` header of a 402. Throws `no_acceptable_payment`. */
export function readChallenge(header: string | null): PaymentChallenge {
  if (header === null) throw badChallenge('has no PAYMENT-REQUIRED header')
  const challenge = decodeChallenge(header)
  if (!isRecord(challenge) || challenge['x402Version'] !== 2) {
    throw badChallenge('does not use x402 version 2')
  }
  const { error, resource, extensions, accepts } = challenge
  if (!Array.isArray(accepts)) throw badChallenge('has no list of offers')
  return {
    error: isText(error) ? error : undefined,
    resource,
    extensions,
    accepts: accepts.filter(isRequirements),
  }
}

function decodeChallenge(header: string): unknown {
  try {
    return decodeBase64Json(header)
  } catch (cause) {
    throw badChallenge('has a PAYMENT-REQUIRED header that cannot be decoded', cause)
  }
}

function acceptable(
  accepted: PaymentRequirements,
  challenge: PaymentChallenge,
  terms: PaymentTerms,
): readonly PaymentOffer[] {
  const network = payableNetwork(accepted, terms)
  return network !== undefined && accepted.scheme === 'exact'
    ? [{ amount: parseAmount(accepted.amount), network, accepted, challenge }]
    : []
}

/** The network of an offer that is for its USDC to the payee of the terms. */
export function payableNetwork(
  { network: id, asset, payTo: payee, extra }: PaymentRequirements,
  { networks, payTo }: PaymentTerms,
): PaymentNetwork | undefined {
  const network = networks.find((known) => known.id === id)
  const fits =
    network !== undefined &&
    sameAddress(asset, network.usdc) &&
    (extra?.['assetTransferMethod'] ?? 'eip3009') === 'eip3009' &&
    (payTo === undefined || sameAddress(payee, payTo))
  return fits ? network : undefined
}

function isRequirements(value: unknown): value is PaymentRequirements {
  return (
    isRecord(value) &&
    ['scheme', 'network', 'asset', 'amount', 'payTo'].every((field) => isText(value[field])) &&
    Number.isSafeInteger(value['maxTimeoutSeconds']) &&
    (value['extra'] === undefined || isRecord(value['extra']))
  )
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function parseAmount(text: string): Usdc {
  try {
    return parseAtomicUsdc(text)
  } catch (cause) {
    throw badChallenge('has an amount that is not a whole number', cause)
  }
}

function badChallenge(reason: string, cause?: unknown): FareboxError {
  return new FareboxError('no_acceptable_payment', `The 402 response ${reason}.`, {
    status: 402,
    cause,
  })
}
