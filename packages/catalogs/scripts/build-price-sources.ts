import type { ChatFact, ChatFacts } from './chat-facts.ts'
import type { SourceRates } from './genai-prices.ts'
import type { PiAiEntry } from './pi-ai.ts'

/** Each source's rates of a model, in USD per 1,000,000 tokens: input, output. */
export type PriceSources = {
  readonly maker?: SourceRates
  readonly listing?: SourceRates
  readonly hosts?: Readonly<Record<string, SourceRates>>
  readonly second?: SourceRates
}

const secondNames: Readonly<Record<string, string>> = {
  xai: 'x-ai',
  moonshotai: 'moonshotai',
}

type Lookups = {
  readonly entry: (file: string, id: string) => PiAiEntry
  readonly second: (providerId: string, model: string) => SourceRates | undefined
}

/** The base rates of every model in every source, for the published comparison. */
export function buildPriceSources(
  facts: ChatFacts,
  look: Lookups,
): Readonly<Record<string, PriceSources>> {
  return Object.fromEntries(
    facts.models
      .filter((fact) => fact.heldBack === undefined)
      .map((fact) => [fact.id, sourcesOf(fact, look)]),
  )
}

function sourcesOf(fact: ChatFact, { entry, second }: Lookups): PriceSources {
  const rates = (name: readonly [string, string]): SourceRates => {
    const { cost } = entry(name[0], name[1])
    return [String(cost.input), String(cost.output)]
  }
  const listed = fact.source[0] === 'openrouter'
  const own = fact.makerEntry ?? (listed ? undefined : fact.source)
  const [provider, model] = own ?? fact.source
  const other = second(secondNames[provider] ?? provider, model)
  return {
    ...(own && { maker: rates(own) }),
    ...(listed && { listing: rates(fact.source) }),
    ...(fact.sameWeights && {
      hosts: Object.fromEntries(fact.sameWeights.map((name) => [name.join(': '), rates(name)])),
    }),
    ...(other && { second: other }),
  }
}
