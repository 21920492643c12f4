import { picodollars, type Usd } from '@farebox/money'
import { quantity, requirePrice } from '../terms/quantity.ts'
import { requireObject } from '../terms/require-object.ts'
import { chargedPrice, quotedPrice } from '../terms/selling-price.ts'
import type { Terms } from '../terms/terms.ts'
import { termsOf } from '../terms/terms-of.ts'
import { whole } from '../terms/usd-fraction.ts'
import type { ChatPrice, TokenRates } from './chat-price.ts'
import type { ChatQuote } from './chat-quote.ts'
import { highestRates, ratesAt } from './highest-rates.ts'
import { requireChatPrice } from './require-chat-price.ts'

/** A chat request to quote: its tokens, the price of its model, and the terms of sale. */
export type ChatQuoteRequest = {
  readonly model: string
  readonly price: ChatPrice
  readonly terms: Terms
  /** An upper bound on the input: messages, tool definitions, response schema. */
  readonly inputTokens: number
  /** The best estimate of the input; the upper bound by default. */
  readonly likelyInputTokens?: number
  /** The output cap of one choice, as sent upstream. */
  readonly maxOutputTokens: number
  readonly choices: number
}

/**
 * The maximum cost of a chat request: the upper bound on the input and the full output of every
 * choice at the highest rates that can apply, plus markup and buffer, rounded up once, and at least
 * the minimum charge.
 *
 * @throws {PricingError} `invalid_quantity` for a count that is not a non-negative safe integer, and
 * for a rate that is not a bigint of at least 0.
 */
export function quoteChat(request: ChatQuoteRequest): ChatQuote {
  requireObject('request', request)
  requireChatPrice(request.price)
  const { model, price, inputTokens, maxOutputTokens, choices } = request
  const terms = termsOf(price, request.terms)
  const likely = request.likelyInputTokens ?? inputTokens
  quantity('input', inputTokens)
  quantity('likely input', likely)
  quantity('output', maxOutputTokens)
  quantity('choices', choices)
  const likelyInputTokens = Math.min(likely, inputTokens)
  const outputTokens = maxOutputTokens * choices
  const worst = worstUpstreamCost({ price, inputTokens, outputTokens, choices })
  return {
    kind: 'chat',
    model,
    inputTokens,
    likelyInputTokens,
    outputTokens,
    choices,
    price,
    terms,
    maximum: quotedPrice(whole(worst), terms),
    likely: chargedPrice(whole(likelyUpstreamCost(price, likelyInputTokens, outputTokens)), terms),
  }
}

/** The most the provider can bill, in picodollars, before markup and buffer. */
function worstUpstreamCost(
  quote: Pick<ChatQuote, 'price' | 'inputTokens' | 'outputTokens' | 'choices'>,
): Usd {
  const rates = highestRates(quote.price, quote.inputTokens)
  const perRequest = quote.price.perRequest ?? 0n
  requirePrice('a fee per request', perRequest)
  return picodollars(
    rates.input * quantity('input', quote.inputTokens) +
      rates.output * billableOutput(quote) +
      perRequest,
  )
}

/** The most output that can be billed: the caps, and what a provider may bill beyond them. */
export function billableOutput(
  quote: Pick<ChatQuote, 'price' | 'outputTokens' | 'choices'>,
): bigint {
  const beyondCap = quantity('output allowance', quote.price.outputAllowanceTokens ?? 0)
  return quantity('output', quote.outputTokens) + beyondCap * quantity('choices', quote.choices)
}

function likelyUpstreamCost(price: ChatPrice, inputTokens: number, outputTokens: number): Usd {
  const rates: TokenRates = ratesAt(price, inputTokens)
  return picodollars(
    rates.input * quantity('likely input', inputTokens) +
      rates.output * quantity('output', outputTokens) +
      (price.perRequest ?? 0n),
  )
}
