import type { ChatModel, Reasoning } from '../src/chat/chat-model.ts'
import type { ChatPriceRecord, ChatRecord, PriceBasis } from '../src/chat/chat-record.ts'
import type { ParameterProfile } from '../src/chat/parameter-profiles.ts'
import type { ProviderName } from '../src/chat/provider-name.ts'
import type { ChatFact, ChatFacts } from './chat-facts.ts'
import { describeChatModel } from './describe-model.ts'
import type { PiAiEntry } from './pi-ai.ts'
import { higherTable, type PriceTable, tableOf, withoutCacheWrite } from './price-table.ts'

const providers: Readonly<Record<string, ProviderName>> = {
  openrouter: 'openrouter',
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gemini',
  xai: 'xai',
  deepseek: 'deepseek',
  mistral: 'mistral',
  moonshotai: 'moonshot',
  groq: 'groq',
  together: 'together',
  fireworks: 'fireworks',
  cerebras: 'cerebras',
}
const packageName = 'pi-ai 1.5.2'

/** What the builder needs: pi-ai's entries, and the counter of an id. */
export type Lookups = {
  readonly entry: (file: string, id: string) => PiAiEntry
  readonly counter: (id: string) => string
}

/** One model's record, from the packages' entries and our own facts about it. */
export function buildChatRecord(fact: ChatFact, facts: ChatFacts, look: Lookups): ChatRecord {
  const offer = look.entry(...fact.source)
  const maker = fact.maker ?? fact.id.slice(0, fact.id.indexOf('/'))
  const hosts = usableHosts(fact, offer, look)
  const context = fact.contextLength ?? offer.contextWindow
  const contextLength = Math.min(context, ...hosts.map((host) => host.entry.contextWindow))
  const maxOutput = fact.maxOutputTokens ?? offer.maxTokens
  const routes = routesOf(fact, hosts)
  const described = {
    id: fact.id,
    name: offer.name.replace(/^[^:]+: /, '').trim(),
    maker,
    contextLength,
    maxOutputTokens: Math.min(
      maxOutput,
      contextLength,
      ...hosts.map((host) => host.entry.maxTokens),
    ),
    inputModalities: fact.inputModalities ?? offer.input,
    reasoning: fact.reasoning ?? reasoningOf(fact.id, offer),
  }
  const accepts = profileOf(described, routes)
  const maxTemperature = maxTemperatureOf(accepts, routes)
  const record: ChatRecord = {
    ...described,
    description: describeChatModel(described, facts.makers[maker] ?? maker),
    accepts,
    ...(maxTemperature !== undefined && { maxTemperature }),
    counter: look.counter(fact.id),
    routes,
    prices: pricesOf(fact, facts, { look, contextLength, maker }),
  }
  return record
}

type Host = { readonly file: string; readonly entry: PiAiEntry }

/** Hosts of the same weights without loss: with images, nearly the full context and output. */
function usableHosts(fact: ChatFact, offer: PiAiEntry, look: Lookups): readonly Host[] {
  return (fact.sameWeights ?? [])
    .map(([file, id]) => ({ file, entry: look.entry(file, id) }))
    .filter(
      ({ entry }) =>
        offer.input.every((kind) => entry.input.includes(kind)) &&
        entry.contextWindow >= 0.95 * offer.contextWindow &&
        entry.maxTokens >= Math.min(128_000, fact.maxOutputTokens ?? offer.maxTokens),
    )
}

/** Some makers serve a model only at an endpoint other than chat completions. */
const notChatCompletions = /^openai\/.*(-pro|codex)/

function routesOf(fact: ChatFact, hosts: readonly Host[]): ChatRecord['routes'] {
  const maker = fact.makerEntry !== undefined && !notChatCompletions.test(fact.id)
  const ways = [
    fact.source,
    ...(maker && fact.makerEntry ? [fact.makerEntry] : []),
    ...hosts.map(({ file, entry }): [string, string] => [file, entry.id]),
  ]
  return ways.flatMap(([file, model]) => {
    const provider = providers[file]
    return provider === undefined ? [] : [{ provider, model }]
  })
}

function reasoningOf(id: string, { reasoning, thinkingLevelMap }: PiAiEntry): Reasoning {
  if (!reasoning) return 'none'
  const always = thinkingLevelMap?.['off'] === null || /\/o\d|gpt-oss|-r1|thinking/.test(id)
  return always ? 'always' : 'optional'
}

/** Claude from 4.7 on rejects a temperature. */
const fixedClaude = /claude-(opus-4\.[7-9]|(opus|sonnet|fable|haiku)-[5-9])/

function profileOf(
  { id, maker, reasoning }: Pick<ChatModel, 'id' | 'maker' | 'reasoning'>,
  routes: ChatRecord['routes'],
): ParameterProfile {
  const at = (provider: ProviderName): boolean =>
    routes.some((route) => route.provider === provider)
  if (id.startsWith('groq/')) return 'groq'
  if (id.startsWith('cerebras/')) return 'cerebras'
  if (at('together') || at('fireworks')) return 'hosted'
  if (maker === 'anthropic') return claudeProfile(id)
  if (maker === 'google' && id.includes('gemini')) return 'gemini'
  if (maker === 'x-ai') return /grok-(4\.20|build)/.test(id) ? 'grok' : 'grok-effort'
  if (maker === 'mistralai' && at('mistral')) {
    return reasoning === 'none' ? 'mistral' : 'mistral-effort'
  }
  if (maker === 'openai' && !id.includes('gpt-oss')) return openaiProfile(id)
  return reasoning === 'none' ? 'open' : 'open-reasoning'
}

function claudeProfile(id: string): ParameterProfile {
  if (fixedClaude.test(id)) return 'claude-fixed'
  if (/claude-(opus-4\.[56]|sonnet-4\.6)/.test(id)) return 'claude-effort'
  return /claude-(sonnet|haiku)-4\.5/.test(id) ? 'claude-schema' : 'claude'
}

function openaiProfile(id: string): ParameterProfile {
  if (/\/o\d/.test(id)) return 'openai-o-series'
  if (/gpt-4o|gpt-4\.1/.test(id)) return 'openai-chat'
  return /gpt-(3|4)/.test(id) ? 'openai-legacy' : 'openai-reasoning'
}

function maxTemperatureOf(
  accepts: ParameterProfile,
  routes: ChatRecord['routes'],
): number | undefined {
  if (accepts !== 'claude-fixed' && accepts.startsWith('claude')) return 1
  const upTo15 = routes.some(({ provider }) => provider === 'mistral' || provider === 'cerebras')
  return upTo15 ? 1.5 : undefined
}

type Priced = {
  readonly look: Lookups
  readonly contextLength: number
  readonly maker: string
}

function pricesOf(fact: ChatFact, facts: ChatFacts, priced: Priced): readonly ChatPriceRecord[] {
  const { table, basis, source } = basePrice(fact, priced)
  const reachable = {
    rates: table.rates,
    tiers: table.tiers.filter((tier) => tier.fromInputTokens < priced.contextLength),
  }
  const { outputAllowanceTokens } = fact
  const current: ChatPriceRecord = {
    effectiveFrom: facts.pricesAsOf,
    basis,
    source: [source, fact.atLeast?.source, fact.peak?.source].filter(Boolean).join('; '),
    ...withPeak(reachable, fact, tableOf(priced.look.entry(...fact.source))),
    ...(outputAllowanceTokens !== undefined && { outputAllowanceTokens }),
  }
  const announced = (fact.scheduled ?? []).map(
    ({ effectiveFrom, source: announcement, ...rates }): ChatPriceRecord => ({
      effectiveFrom,
      basis: 'maker',
      source: announcement,
      announced: true,
      ...higherTable({ rates, tiers: [] }, reachable),
    }),
  )
  return [current, ...announced]
}

function basePrice(
  fact: ChatFact,
  { look, maker }: Priced,
): { readonly table: PriceTable; readonly basis: PriceBasis; readonly source: string } {
  const listed = tableOf(look.entry(...fact.source))
  const own = fact.makerEntry && tableOf(look.entry(...fact.makerEntry))
  // A router may use any route on its list, so the price has to cover both.
  const offered =
    own === undefined || fact.implausibleListing ? (own ?? listed) : higherTable(own, listed)
  const hosts = (fact.sameWeights ?? []).map((name) => tableOf(look.entry(...name)))
  const floor = fact.atLeast ? [atLeastTable(fact.atLeast)] : []
  const raised = [...hosts, ...floor].reduce(higherTable, offered)
  const asked = maker === 'anthropic' || maker === 'google' ? withoutCacheWrite(raised) : raised
  return {
    table: asked,
    basis: basisOf(fact, { offered, raised }),
    source: `${packageName}: ${sourceFiles(fact).join(', ')}`,
  }
}

function atLeastTable({ input, output, cacheRead }: NonNullable<ChatFact['atLeast']>): PriceTable {
  return { rates: { input, output, ...(cacheRead !== undefined && { cacheRead }) }, tiers: [] }
}

function basisOf(
  fact: ChatFact,
  { offered, raised }: { readonly offered: PriceTable; readonly raised: PriceTable },
): PriceBasis {
  const higherElsewhere =
    offered.rates.input !== raised.rates.input || offered.rates.output !== raised.rates.output
  if (higherElsewhere) return 'ceiling'
  return fact.makerEntry !== undefined || fact.source[0] !== 'openrouter' ? 'maker' : 'listing'
}

function sourceFiles({ source, makerEntry, sameWeights = [] }: ChatFact): readonly string[] {
  return [
    ...new Set([
      ...(makerEntry ? [makerEntry[0]] : []),
      source[0],
      ...sameWeights.map(([file]) => file),
    ]),
  ]
}

function withPeak(
  table: PriceTable,
  { peak, source }: ChatFact,
  listed: PriceTable,
): Pick<ChatPriceRecord, 'rates' | 'tiers' | 'peak'> {
  if (peak === undefined) return table
  const windows = peak.windows.map(([from, to]) => ({
    days: peak.days,
    fromMinute: minuteOf(from),
    toMinute: minuteOf(to),
  }))
  const highest = peak.peak ? higherTable(table, { rates: peak.peak, tiers: [] }) : table
  const quiet = peak.offPeak && { rates: peak.offPeak, tiers: [] }
  const offPeak = quiet && source[0] === 'openrouter' ? higherTable(quiet, listed) : quiet
  const base = offPeak ?? table
  return { ...base, peak: { ...highest, windows } }
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours ?? 0) * 60 + (minutes ?? 0)
}
