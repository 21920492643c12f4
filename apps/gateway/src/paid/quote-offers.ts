import type { Offer } from '@farebox/payments'
import type { ChatQuote, ImageQuote } from '@farebox/pricing'
import { amountBody } from './amount-body.ts'

type Quote = ChatQuote | ImageQuote

/** The current quote first, then earlier ones that are still honoured. */
export type Quotes<Kind extends Quote> = readonly [Kind, ...Kind[]]

/** What the gate takes for a request: its price now, and those that a pending 402 may have named. */
export function offersOf([current, ...earlier]: Quotes<Quote>): [Offer, ...Offer[]] {
  return [offer(current), ...earlier.map(offer)]
}

function offer({ maximum, model, price: { version } }: Quote): Offer {
  return { amount: maximum, model, priceVersion: version }
}

/** The quote that was paid; a payment that outlived its price list is billed by the current one. */
export function paidQuote<Kind extends Quote>(quotes: Quotes<Kind>, priceVersion: string): Kind {
  return quotes.find((quote) => quote.price.version === priceVersion) ?? quotes[0]
}

/** The amounts of a quote, as the 402 shows them. */
export function quotedAmounts({ maximum, likely, terms }: Quote) {
  return {
    maximum: amountBody(maximum),
    likely: amountBody(likely),
    minimum: amountBody(terms.minimumCharge),
  }
}
