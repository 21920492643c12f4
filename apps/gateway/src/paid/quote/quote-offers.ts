import type { PaymentRecord } from '@farebox/ledger'
import { least } from '@farebox/money'
import type { Offer } from '@farebox/payments'
import type { ChatQuote, ImageQuote } from '@farebox/pricing'
import { amountBody } from './amount-body.ts'

type Quote = ChatQuote | ImageQuote

/** The current quote first, then earlier ones that are still honoured. */
export type Quotes<Kind extends Quote> = readonly [Kind, ...Kind[]]

/** The prices that the gate accepts for a request: the current one, and those of earlier 402s. */
export function offersOf([current, ...earlier]: Quotes<Quote>): [Offer, ...Offer[]] {
  return [offer(current), ...earlier.map(offer)]
}

function offer({ maximum, model, price: { version } }: Quote): Offer {
  return { amount: maximum, model, priceVersion: version }
}

/**
 * The quote that was paid. A payment that outlived its price list is billed by the current one, and
 * no bill exceeds what was paid.
 */
export function paidQuote<Kind extends Quote>(quotes: Quotes<Kind>, payment: Paid): Kind {
  return withinPayment(quotes[paidPlace(quotes, payment)] ?? quotes[0], payment)
}

type Paid = Pick<PaymentRecord, 'priceVersion' | 'authorization'>

/** The place of the quote that was paid; of the current one if its price is no longer honoured. */
export function paidPlace(quotes: Quotes<Quote>, { priceVersion }: Paid): number {
  return Math.max(
    0,
    quotes.findIndex(({ price }) => price.version === priceVersion),
  )
}

/** A quote whose maximum is at most what was paid. */
export function withinPayment<Kind extends Quote>(quote: Kind, { authorization }: Paid): Kind {
  return { ...quote, maximum: least(quote.maximum, authorization.value) }
}

/** The amounts of a quote, as the 402 shows them. */
export function quotedAmounts({ maximum, likely, terms }: Quote) {
  return {
    maximum: amountBody(maximum),
    likely: amountBody(likely),
    minimum: amountBody(terms.minimumCharge),
  }
}
