import { MoneyError, parseAtomicUsdc, type Usdc } from '@farebox/money'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { getDefaultAsset } from '@x402/evm'
import type { Network, PaymentRequired, PaymentRequirements } from '@x402/fetch'
import { FareboxError } from '../farebox-error.ts'

/** The networks that the client pays on, and the only payee that it accepts. */
export type PaymentTerms = {
  readonly networks: readonly Network[]
  /** If set, pay only this address. */
  readonly payTo: string | undefined
}

/** The accepted offer, ready to be signed. */
export type PaymentOffer = {
  readonly amount: Usdc
  /** The challenge with only this offer left in `accepts`. */
  readonly challenge: PaymentRequired
}

/**
 * Chooses the cheapest offer of a 402 for USDC with the `exact` scheme on a network of the terms.
 * Throws `no_acceptable_payment`, which lists the offers.
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
      `The server accepts ${offers.join(', ') || 'no payment'}; this client pays USDC on ${terms.networks.join(', ')}.`,
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
    throw badChallenge('has a PAYMENT-REQUIRED header that cannot be decoded', cause)
  }
  throw badChallenge('does not use x402 version 2')
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
    if (cause instanceof MoneyError)
      throw badChallenge('has an amount that is not a whole number', cause)
    throw cause
  }
}

function badChallenge(reason: string, cause?: unknown): FareboxError {
  return new FareboxError('no_acceptable_payment', `The 402 response ${reason}.`, {
    status: 402,
    cause,
  })
}
