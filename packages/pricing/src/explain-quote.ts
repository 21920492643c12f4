import { subtract, toUsd, toUsdcCeil, type Usd } from '@farebox/money'
import type { ChatQuote } from './chat/chat-quote.ts'
import { highestRates, tierAt } from './chat/highest-rates.ts'
import { billableOutput } from './chat/quote-chat.ts'
import { imageCost } from './image/image-cost.ts'
import type { ImagePriceRule, ImageQuote } from './image/image-price.ts'
import { allowedImageCost, worstImageCost } from './image/quote-image.ts'
import { basisPoints } from './terms/basis-points.ts'
import { requireObject } from './terms/require-object.ts'
import type { Terms } from './terms/terms.ts'
import { increased, roundedUp, times, type UsdFraction, whole } from './terms/usd-fraction.ts'

/** One line of a quote, in picodollars. The lines add up to the quote's maximum. */
export type QuoteLine = {
  readonly what:
    | 'input'
    | 'output'
    | 'request'
    /** The list price of the images. */
    | 'images'
    /** For a compute time that is known only afterwards. */
    | 'allowance'
    /** What a provider may bill in addition to its list price. */
    | 'extras'
    /** The operator's margin. */
    | 'markup'
    | 'buffer'
    | 'rounding'
    | 'minimum'
  /** Tokens or images. */
  readonly quantity?: number
  /** The cost of one token or image, in picodollars. */
  readonly rate?: Usd
  /** The input size at which the line's tier begins; 0 for the base rates. */
  readonly tierFromInputTokens?: number
  readonly basisPoints?: number
  readonly amount: Usd
}

/** A line, and the exact sum of all lines up to it. */
type Step = { readonly line: Omit<QuoteLine, 'amount'>; readonly sum: UsdFraction }

/**
 * How the maximum of a quote is computed, line by line. The amounts add up to exactly
 * `toUsd(quote.maximum)`; `rounding` and `minimum` make up the difference. Lines of zero are omitted,
 * except for the quantities.
 */
export function explainQuote(quote: ChatQuote | ImageQuote): readonly QuoteLine[] {
  requireObject('quote', quote)
  requireObject('quote.price', quote.price)
  const quantities = quote.kind === 'chat' ? chatSteps(quote) : imageSteps(quote)
  const steps = [...quantities, ...termSteps(lastSum(quantities), quote.terms)]
  const lines = steps.map(({ line, sum }, index) => ({
    ...line,
    amount: subtract(roundedUp(sum), roundedUp(lastSum(steps.slice(0, index)))),
  }))
  const exact = lastSum(steps)
  const rounded = toUsd(toUsdcCeil(exact.numerator, exact.denominator))
  const closing: readonly QuoteLine[] = [
    { what: 'rounding', amount: subtract(rounded, roundedUp(exact)) },
    { what: 'minimum', amount: subtract(toUsd(quote.maximum), rounded) },
  ]
  return [...lines, ...closing].filter((line) => line.quantity !== undefined || line.amount !== 0n)
}

function chatSteps(quote: ChatQuote): readonly Step[] {
  const { price, inputTokens } = quote
  const rates = highestRates(price, inputTokens)
  const tierFromInputTokens = tierAt(price.tiers, inputTokens)?.fromInputTokens ?? 0
  const output = billableOutput(quote)
  const input = rates.input * BigInt(inputTokens)
  const tokens = input + rates.output * output
  return [
    {
      line: { what: 'input', quantity: inputTokens, rate: rates.input, tierFromInputTokens },
      sum: whole(input),
    },
    {
      line: { what: 'output', quantity: Number(output), rate: rates.output, tierFromInputTokens },
      sum: whole(tokens),
    },
    { line: { what: 'request' }, sum: whole(tokens + (price.perRequest ?? 0n)) },
  ]
}

function imageSteps(quote: ImageQuote): readonly Step[] {
  const { price, numberOfImages } = quote
  const one = imageCost(price.rule, quote)
  const allowed = allowedImageCost(price.rule, one)
  const worst = worstImageCost(price, one)
  const count = BigInt(numberOfImages)
  return [
    {
      line: { what: 'images', quantity: numberOfImages, rate: roundedUp(one) },
      sum: times(one, count),
    },
    {
      line: { what: 'allowance', basisPoints: allowanceBps(price.rule) },
      sum: times(allowed, count),
    },
    { line: { what: 'extras' }, sum: times(worst, count) },
  ]
}

function allowanceBps(rule: ImagePriceRule): number {
  return rule.kind === 'compute' ? rule.marginBps - Number(basisPoints) : 0
}

function termSteps(sum: UsdFraction, { markupBps, bufferBps }: Terms): readonly Step[] {
  const marked = increased(sum, markupBps)
  return [
    { line: { what: 'markup', basisPoints: markupBps }, sum: marked },
    { line: { what: 'buffer', basisPoints: bufferBps }, sum: increased(marked, bufferBps) },
  ]
}

function lastSum(steps: readonly Step[]): UsdFraction {
  return steps.at(-1)?.sum ?? whole(0n)
}
