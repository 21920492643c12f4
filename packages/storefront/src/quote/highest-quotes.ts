import type { ChatQuote } from '@farebox/pricing'

/** The quotes of a request: at the current price first, then at earlier ones still honored. */
export type ChatQuotes = readonly [ChatQuote, ...ChatQuote[]]

type Quoted = { readonly quotes: ChatQuotes }
type QuotedModels = readonly [Quoted, ...Quoted[]]

/**
 * What a request costs at most, whichever of its models serves it. The version of such a price names
 * the versions of all of them.
 */
export function highestQuotes(models: QuotedModels): ChatQuotes {
  const [first, ...others] = models
  if (others.length === 0) return first.quotes
  const earlier = Math.max(...models.map(({ quotes }) => quotes.length)) - 1
  return [
    highestQuote(models, 0),
    ...Array.from({ length: earlier }, (_, index) => highestQuote(models, index + 1)),
  ]
}

/** A model's own quote at the price that was paid: the one at the same index. */
export function ownQuote({ quotes }: Quoted, place: number): ChatQuote {
  return quotes[place] ?? quotes.at(-1) ?? quotes[0]
}

function highestQuote(models: QuotedModels, place: number): ChatQuote {
  const [first] = models
  const quotes = models.map((model) => ownQuote(model, place))
  const highest = quotes.reduce((one, other) => (other.maximum > one.maximum ? other : one))
  const version = quotes.map(({ price }) => price.version).join(',')
  const { model, likely } = ownQuote(first, place)
  return { ...highest, model, likely, price: { ...highest.price, version } }
}
