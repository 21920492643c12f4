import { formatUsdc, least, type Usdc } from '@farebox/money'
import type { Offer } from '@farebox/payments'
import { type ChatQuote, type ImageQuote, quoteChat, quoteImage } from '@farebox/pricing'
import type { SaleTerms } from '../paid-endpoint.ts'
import { amountBody } from './amount-body.ts'

type Quote = ChatQuote | ImageQuote

/** The current quote first, then earlier ones that are still honored. */
export type Quotes<Kind extends Quote> = readonly [Kind, ...Kind[]]

/**
 * The prices that the gate accepts for a request: the current one, and those of earlier 402s. With the
 * minimum charge of channels, a small call costs less when it is paid from one.
 */
export function offersOf(
  [current, ...earlier]: Quotes<Quote>,
  channelMinimum: Usdc | undefined,
): [Offer, ...Offer[]] {
  const offer = (quote: Quote): Offer => ({
    amount: quote.maximum,
    ...(channelMinimum !== undefined && { channelAmount: channelMaximum(quote, channelMinimum) }),
    model: quote.model,
    priceVersion: quote.price.version,
  })
  return [offer(current), ...earlier.map(offer)]
}

function channelMaximum(quote: Quote, minimumCharge: Usdc): Usdc {
  if (quote.maximum > quote.terms.minimumCharge) return quote.maximum
  const terms = { ...quote.terms, minimumCharge }
  if (quote.kind === 'image') return quoteImage({ ...quote, terms }).maximum
  const maxOutputTokens = quote.outputTokens / quote.choices
  return quoteChat({ ...quote, terms, maxOutputTokens }).maximum
}

/**
 * The quote that was paid. A payment that outlived its price list is billed by the current one, and
 * no bill exceeds what was paid.
 */
export function paidQuote<Kind extends Quote>(
  quotes: Quotes<Kind>,
  payment: SaleTerms,
  channelMinimum: Usdc | undefined,
): Kind {
  const quote = quotes[paidPlace(quotes, payment)] ?? quotes[0]
  return withinPayment(quote, payment, channelMinimum)
}

/** The place of the quote that was paid; of the current one if its price is no longer honored. */
export function paidPlace(
  quotes: Quotes<Quote>,
  { priceVersion }: Pick<SaleTerms, 'priceVersion'>,
): number {
  return Math.max(
    0,
    quotes.findIndex(({ price }) => price.version === priceVersion),
  )
}

/** A quote whose maximum is at most what was paid, with the minimum charge of the way it was paid. */
export function withinPayment<Kind extends Quote>(
  quote: Kind,
  { kind, authorization }: Omit<SaleTerms, 'priceVersion'>,
  channelMinimum: Usdc | undefined,
): Kind {
  const minimumCharge =
    kind === 'channel_call'
      ? (channelMinimum ?? quote.terms.minimumCharge)
      : quote.terms.minimumCharge
  const maximum = least(quote.maximum, authorization.value)
  return { ...quote, maximum, terms: { ...quote.terms, minimumCharge } }
}

/** A quote as the 402 shows it: what it was computed from, and its amounts. */
export function challengeOf(
  { maximum, likely, terms }: Quote,
  channelMinimum: Usdc | undefined,
  basis: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return {
    message: `Payment of at most ${formatUsdc(maximum)} USDC required. What is not spent is refunded.`,
    quote: {
      ...basis,
      maximum: amountBody(maximum),
      likely: amountBody(likely),
      minimum: amountBody(terms.minimumCharge),
      ...(channelMinimum !== undefined && { channelMinimum: amountBody(channelMinimum) }),
    },
  }
}
