import { formatUsdc, least, type Usdc } from '@farebox/money'
import type { Offer } from '@farebox/payments'
import { type ChatQuote, type ImageQuote, quoteChat, quoteImage } from '@farebox/pricing'
import type { SaleTerms } from '../paid-endpoint.ts'
import { amountBody } from './amount-body.ts'

type Quote = ChatQuote | ImageQuote

/** The current quote first, then earlier ones that are still honored. */
export type Quotes<Kind extends Quote> = readonly [Kind, ...Kind[]]

type QuotedSale = {
  readonly quotes: Quotes<Quote>
  /** The model of a chat and its fallbacks. */
  readonly models?: readonly unknown[]
}

/** What a quote costs by each way to pay. */
export type Quoting = {
  /**
   * The prices that the gate accepts for a request: the current one, and those of earlier 402s. With the
   * minimum charge of channels, a small call costs less when it is paid from one.
   */
  offersOf(sale: QuotedSale): [Offer, ...Offer[]]
  /** A quote as the 402 shows it: what it was computed from, and its amounts. */
  challengeOf(
    quote: Quote,
    basis: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>
  /**
   * The quote that was paid. A payment that outlived its price list is billed by the current one, and
   * no bill exceeds what was paid.
   */
  paidQuote<Kind extends Quote>(quotes: Quotes<Kind>, payment: SaleTerms): Kind
  /** A quote whose maximum is at most what was paid, with the minimum charge of the way it was paid. */
  withinPayment<Kind extends Quote>(quote: Kind, payment: Omit<SaleTerms, 'priceVersion'>): Kind
}

/** Quotes with the minimum charge of a call that is paid from a channel; undefined without channels. */
export function createQuoting(channelMinimum: Usdc | undefined): Quoting {
  function withinPayment<Kind extends Quote>(
    quote: Kind,
    { kind, authorization }: Omit<SaleTerms, 'priceVersion'>,
  ): Kind {
    const ownMinimum = kind === 'channel_call' ? channelMinimum : undefined
    const minimumCharge = ownMinimum ?? quote.terms.minimumCharge
    const maximum = least(quote.maximum, authorization.value)
    return { ...quote, maximum, terms: { ...quote.terms, minimumCharge } }
  }

  return {
    offersOf({ quotes: [current, ...earlier], models }) {
      // What each fallback costs at most is not known below the minimum: the hold is the same there.
      const minimum = models === undefined || models.length === 1 ? channelMinimum : undefined
      const offer = (quote: Quote): Offer => ({
        amount: quote.maximum,
        ...(minimum !== undefined && { channelAmount: channelMaximum(quote, minimum) }),
        model: quote.model,
        priceVersion: quote.price.version,
      })
      return [offer(current), ...earlier.map(offer)]
    },
    challengeOf: ({ maximum, likely, terms }, basis) => ({
      message: `Payment of at most ${formatUsdc(maximum)} USDC required. What is not spent is refunded.`,
      quote: {
        ...basis,
        maximum: amountBody(maximum),
        likely: amountBody(likely),
        minimum: amountBody(terms.minimumCharge),
        ...(channelMinimum !== undefined && { channelMinimum: amountBody(channelMinimum) }),
      },
    }),
    paidQuote: (quotes, payment) =>
      withinPayment(quotes[paidPlace(quotes, payment)] ?? quotes[0], payment),
    withinPayment,
  }
}

function channelMaximum(quote: Quote, minimumCharge: Usdc): Usdc {
  if (quote.maximum > quote.terms.minimumCharge) return quote.maximum
  const terms = { ...quote.terms, minimumCharge }
  if (quote.kind === 'image') return quoteImage({ ...quote, terms }).maximum
  const maxOutputTokens = quote.outputTokens / quote.choices
  return quoteChat({ ...quote, terms, maxOutputTokens }).maximum
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
