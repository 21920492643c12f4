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
export function paidQuote<Kind extends Quote>(
  quotes: Quotes<Kind>,
  { priceVersion, authorization }: Pick<PaymentRecord, 'priceVersion' | 'authorization'>,
): Kind {
  const quote = quotes.find(({ price }) => price.version === priceVersion) ?? quotes[0]
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
