import type { ChatRecord } from '../src/chat/chat-record.ts'
import type { CatalogData } from '../src/data/catalog-data.ts'
import type { PriceSources } from './build-price-sources.ts'

/** What people ask for most, by the judgment of 2026-11. */
const popular = [
  'openai/gpt-6.1-sol',
  'openai/gpt-6.1-terra',
  'openai/gpt-6-luna',
  'openai/gpt-5.5',
  'openai/gpt-4.1-mini',
  'openai/gpt-4o',
  'openai/gpt-4o-mini',
  'openai/gpt-oss-120b',
  'anthropic/claude-opus-5.5',
  'anthropic/claude-sonnet-5.5',
  'anthropic/claude-sonnet-4.5',
  'anthropic/claude-haiku-5.5',
  'google/gemini-4-argon',
  'google/gemini-3.8-flash',
  'google/gemini-3.1-pro-preview',
  'google/gemini-2.5-flash',
  'x-ai/grok-4.7',
  'deepseek/deepseek-v4.1-flash',
  'deepseek/deepseek-v4-pro',
  'mistralai/mistral-large-4-0',
  'meta-llama/llama-3.3-70b-instruct',
  'qwen/qwen3.7-max',
  'moonshotai/kimi-k3',
  'z-ai/glm-5.3',
]

type Sources = Readonly<Record<string, PriceSources>>

/** What the page tells beyond the snapshot. */
export type PageFacts = {
  readonly sources: Sources
  /** How each image price point is known. */
  readonly statuses: readonly string[]
  readonly makers: Readonly<Record<string, string>>
}

/** The page of totals and of popular prices next to their sources. */
export function catalogPage(data: CatalogData, { sources, statuses, makers }: PageFacts): string {
  return [
    '# What the snapshot holds',
    '',
    'Written by `scripts/generate.ts`; a test compares it with the data.',
    '',
    ...totals(data),
    '',
    '## Chat models by maker',
    '',
    ...table(['maker', 'models'], byMaker(data.chat, makers)),
    '',
    '## Chat models by what their price rests on',
    '',
    '`maker`: the list of the maker or the host. `listing`: one router’s list. `ceiling`: the most expensive known host of the same weights, where the router lists a cheaper one that cannot bound the rest.',
    '',
    ...table(
      ['basis', 'models'],
      counted(data.chat, (record) => record.prices[0]?.basis ?? ''),
    ),
    '',
    '## Image models',
    '',
    ...table(
      ['category', 'models'],
      counted(data.images, (record) => record.category),
    ),
    '',
    ...table(
      ['architecture', 'models'],
      counted(data.images, (record) => record.architecture),
    ),
    '',
    'Prices at 512, 1024 and 2048 square, where a model makes them. `published`: on the provider’s page. `third-party`: another router’s list or the average of its calls. `estimate`: by the ratios of the one model with three published points, or one price taken for further sizes. Sizes between are interpolated.',
    '',
    ...table(
      ['price status', 'price points'],
      counted(statuses, (status) => status),
    ),
    '',
    ...table(
      ['status of the best known price', 'models'],
      counted(data.images, (record) => record.prices[0]?.status ?? ''),
    ),
    '',
    ...table(
      ['price rule', 'models'],
      counted(data.images, (record) => record.prices[0]?.rule.kind ?? ''),
    ),
    '',
    '## Twenty-four popular models, our price next to each source',
    '',
    'USD per 1,000,000 tokens, input / output, base tier. Maker and router: pi-ai 1.5.2 (2026-11-10). Second source: genai-prices 0.1.8 (2026-09), on the day of the snapshot. Hosts: the most expensive of the other hosts in pi-ai.',
    '',
    ...table(
      ['model', 'ours', 'maker', 'router', 'second', 'hosts', 'difference'],
      popular.map((id) => popularRow(id, data, sources)),
    ),
    '',
  ].join('\n')
}

function totals({ chat, images }: CatalogData): readonly string[] {
  const makers = new Set(chat.map((record) => record.maker)).size
  const has = (test: (record: ChatRecord) => boolean): number => chat.filter(test).length
  const steps = images.filter((record) => record.steps !== undefined).length
  return [
    `${chat.length} chat models of ${makers} makers: ${has((record) => record.prices.some((price) => price.tiers.length > 0))} with context tiers, ${has((record) => record.prices.some((price) => price.peak))} with peak hours, ${has((record) => record.prices.some((price) => price.announced))} with an announced price. ${images.length} image models: ${steps} take steps, ${images.length - steps} are premium and do not.`,
  ]
}

function byMaker(
  chat: CatalogData['chat'],
  names: Readonly<Record<string, string>>,
): readonly (readonly string[])[] {
  return counted(chat, (record) => `${names[record.maker] ?? record.maker} (\`${record.maker}\`)`)
}

function counted<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
): readonly (readonly string[])[] {
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(keyOf(entry), (counts.get(keyOf(entry)) ?? 0) + 1)
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([key, count]) => [key, String(count)])
}

function popularRow(id: string, { chat }: CatalogData, sources: Sources): readonly string[] {
  const record = chat.find((candidate) => candidate.id === id)
  const price = record?.prices[0]
  if (record === undefined || price === undefined) throw new Error(`${id} is not sold`)
  const source = sources[id] ?? {}
  const ours = price.peak ? price.peak.rates : price.rates
  const pair = (rates: readonly string[] | undefined): string => rates?.join(' / ') ?? '–'
  return [
    `\`${id}\``,
    `${price.rates.input} / ${price.rates.output}${price.peak ? `, peak ${ours.input} / ${ours.output}` : ''}`,
    pair(source.maker),
    pair(source.listing),
    pair(source.second),
    pair(mostExpensiveHost(source)),
    difference(record, source),
  ]
}

function mostExpensiveHost({ hosts = {} }: PriceSources): readonly string[] | undefined {
  const all = Object.values(hosts)
  const most = (index: 0 | 1): string =>
    String(Math.max(...all.map((rates) => Number(rates[index]))))
  return all.length === 0 ? undefined : [most(0), most(1)]
}

function difference(record: ChatRecord, source: PriceSources): string {
  const [price] = record.prices
  if (price === undefined) return ''
  const ours = [price.rates.input, price.rates.output].join()
  const differs = (rates: readonly string[] | undefined): boolean =>
    rates !== undefined && rates.join() !== ours
  const reasons = [
    price.peak && 'quoted at the peak, charged by the hour; the router’s list is between the two',
    price.basis === 'ceiling' && 'the most expensive host, so that any route is covered',
    !price.peak &&
      price.basis === 'maker' &&
      differs(source.maker) &&
      'the router lists a higher price than the maker: the higher one, so that both routes are covered',
    !price.peak &&
      price.basis === 'maker' &&
      !differs(source.maker) &&
      differs(source.listing) &&
      'the maker’s price: the router lists one endpoint whose input rate is nearly its cache rate',
    !price.peak &&
      differs(source.second) &&
      'the second source is two months older or another host',
  ].filter((reason) => typeof reason === 'string')
  return reasons.length === 0 ? 'none' : reasons.join('; ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}
