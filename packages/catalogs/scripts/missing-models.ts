/**
 * Prints models that three lists of third parties have, that are not retired there, and that the
 * catalog lacks; with each, the offers of the pinned list from providers that Farebox calls.
 *
 * `node --conditions=farebox-source packages/catalogs/scripts/missing-models.ts [prices.json.gz]`
 */
import { existsSync, readFileSync } from 'node:fs'
import { argv } from 'node:process'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { readChatFacts } from './chat-facts.ts'
import { piAiEntries } from './pi-ai.ts'
import { pinnedPackages, unpackPinned } from './pinned-package.ts'

const [file = '../shared/data/oracle/prices.json.gz'] = argv.slice(2)
if (!existsSync(file)) {
  process.stderr.write(`${file} does not exist\n`)
  process.exit(2)
}

const listed = z
  .object({
    prices: z.array(z.object({ s: z.string(), id: z.string(), dep: z.unknown().optional() })),
  })
  .parse(JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')))

const facts = readChatFacts(new URL('../data/chat-facts.json', import.meta.url))
const known = new Set(
  facts.models.flatMap(({ id, source, makerEntry }) =>
    [id, source[1], makerEntry?.[1] ?? id].map(bare),
  ),
)
const folder = unpackPinned(pinnedPackages.piAi)
const makers = ['openai', 'anthropic', 'google', 'xai', 'deepseek', 'mistral', 'moonshotai']
const hosts = ['openrouter', 'groq', 'together', 'fireworks', 'cerebras']
const offers = [...makers, ...hosts].map((provider) => ({
  provider,
  entries: piAiEntries(folder, provider),
}))

/** The catalog's own second source does not count as an independent list. */
const lists = new Map<string, { readonly sources: Set<string>; readonly ids: Set<string> }>()
const retired = new Set<string>()
for (const { s, id, dep } of listed.prices) {
  if (s === 'genai-prices') continue
  const name = bare(id)
  if (dep !== undefined) retired.add(name)
  const { sources, ids } = lists.get(name) ?? { sources: new Set(), ids: new Set() }
  lists.set(name, { sources: sources.add(s), ids: ids.add(id) })
}
const missing = [...lists].filter(
  ([name, { sources }]) => sources.size >= 3 && !known.has(name) && !retired.has(name),
)
for (const [, { ids }] of missing.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const offering = offers
    .filter(({ entries }) => [...ids].some((id) => entries.has(id)))
    .map(({ provider }) => provider)
  process.stdout.write(`${[...ids][0]}: ${offering.join(', ') || 'no offer'}\n`)
}
process.stdout.write(`${missing.length} models\n`)

/** One name for the spellings of a model: without its provider, case and punctuation. */
function bare(id: string): string {
  return id
    .slice(id.lastIndexOf('/') + 1)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
}
