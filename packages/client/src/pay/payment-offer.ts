import { MoneyError, parseAtomicUsdc, type Usdc } from '@farebox/money'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { getDefaultAsset } from '@x402/evm'
import type { Network, PaymentRequired, PaymentRequirements } from '@x402/fetch'
import { FareboxError } from '../farebox-error.ts'

/** What the client is willing to pay with, and to whom. */
export type PaymentTerms = {
  readonly networks: readonly Network[]
  /** Only this address is paid, when given. */
  readonly payTo: string | undefined
}

/** The offer that the client takes, ready to be signed. */
export type PaymentOffer = {
  readonly amount: Usdc
  /** The challenge with only this offer left in `accepts`. */
  readonly challenge: PaymentRequired
}

/**
 * Takes the cheapest offer of a 402 that is USDC on a network of the terms, by the `exact` scheme.
 * Throws `no_acceptable_payment`, saying what was offered.
 */
export function choosePaymentOffer(response: Response, terms: PaymentTerms): PaymentOffer {
  const challenge = readChallenge(response)
  const [cheapest] = challenge.accepts
    .filter((offer) => isAcceptable(offer, terms))
    .map((offer) => ({ offer, amount: parseAmount(offer.amount) }))
    .sort((a, b) => (a.amount < b.amount ? -1 : 1))
  if (cheapest === undefined) {
    const offers = challenge.accepts.map(
      ({ scheme, network, asset }) => `${scheme} ${asset} on ${network}`,
    )
    throw new FareboxError(
      'no_acceptable_payment',
      `The server takes ${offers.join(', ') || 'nothing'}; this client pays USDC on ${terms.networks.join(', ')}.`,
      { status: 402 },
    )
  }
  return {
    amount: cheapest.amount,
    challenge: { ...challenge, accepts: [cheapest.offer] },
  }
}

function readChallenge(response: Response): PaymentRequired {
  const header = response.headers.get('payment-required')
  if (header === null) throw badChallenge('has no PAYMENT-REQUIRED header')
  try {
    const challenge = decodePaymentRequiredHeader(header)
    if (challenge.x402Version === 2 && Array.isArray(challenge.accepts)) return challenge
  } catch (cause) {
    throw badChallenge('has a PAYMENT-REQUIRED header that cannot be read', cause)
  }
  throw badChallenge('is not of x402 version 2')
}

function isAcceptable(offer: PaymentRequirements, terms: PaymentTerms): boolean {
  return (
    offer.scheme === 'exact' &&
    terms.networks.includes(offer.network) &&
    sameAddress(offer.asset, getDefaultAsset(offer.network).asset) &&
    (offer.extra['assetTransferMethod'] ?? 'eip3009') === 'eip3009' &&
    (terms.payTo === undefined || sameAddress(offer.payTo, terms.payTo))
  )
}

function sameAddress(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function parseAmount(text: string): Usdc {
  try {
    return parseAtomicUsdc(text)
  } catch (cause) {
    if (cause instanceof MoneyError) throw badChallenge('has an amount that is no number', cause)
    throw cause
  }
}

function badChallenge(reason: string, cause?: unknown): FareboxError {
  return new FareboxError('no_acceptable_payment', `The 402 answer ${reason}.`, {
    status: 402,
    cause,
  })
}
