/**
 * Writes the shipped snapshot from the pinned packages and our own facts in `data/`.
 *
 * `node --conditions=farebox-source packages/catalogs/scripts/generate.ts [--rewrite]`
 *
 * Published prices are kept, and an attempt to change one is an error. Only `--rewrite`, for the time
 * before the first release, starts a new history.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { counterForModel } from '@farebox/tokenizer'
import type { ChatPriceRecord, ChatRecord } from '../src/chat/chat-record.ts'
import { buildChatRecord } from './build-chat-record.ts'
import { buildPriceSources } from './build-price-sources.ts'
import { catalogPage } from './catalog-page.ts'
import { type ChatFact, readChatFacts } from './chat-facts.ts'
import { readGenaiPrices } from './genai-prices.ts'
import { readImageFacts } from './image-facts.ts'
import { readPiAi } from './pi-ai.ts'
import { pinnedPackages, unpackPinned } from './pinned-package.ts'
import { digestsOf } from './price-digests.ts'
import { appended } from './price-history.ts'

type ChatHistory = Readonly<Record<string, readonly ChatPriceRecord[]>>

const at = (path: string): URL => new URL(`../${path}`, import.meta.url)
const rewrite = argv.includes('--rewrite')

const facts = readChatFacts(at('data/chat-facts.json'))
const entry = readPiAi(unpackPinned(pinnedPackages.piAi))
const second = await readGenaiPrices(
  unpackPinned(pinnedPackages.genaiPrices),
  new Date(facts.pricesAsOf),
)
const built = facts.models
  .filter((fact) => fact.heldBack === undefined)
  .map((fact) => buildChatRecord(fact, facts, { entry, counter: counterForModel }))
  .sort((a, b) => (a.id < b.id ? -1 : 1))

const historyFile = at('data/chat-prices.json')
const history: ChatHistory =
  rewrite || !existsSync(historyFile) ? {} : JSON.parse(readFileSync(historyFile, 'utf8'))
const prices: ChatHistory = {
  ...history,
  ...Object.fromEntries(
    built.map(({ id, prices: now }) => [id, appended(id, history[id] ?? [], now)]),
  ),
}
const chat = built.map((record): ChatRecord => ({ ...record, prices: prices[record.id] ?? [] }))

write('data/chat-prices.json', linesOf(prices))
const sources = buildPriceSources(facts, { entry, second })
write('data/price-sources.json', linesOf(sources))
write(
  'src/snapshot/chat-records.gen.ts',
  moduleOf({ name: 'chatRecords', type: 'ChatRecord', from: '../chat/chat-record.ts', rows: chat }),
)
write('src/snapshot/release-dates.gen.ts', releaseDatesOf(facts.models))
const { records: images, statuses } = readImageFacts(at('data/image-models.json'))
write(
  'src/snapshot/image-records.gen.ts',
  moduleOf({
    name: 'imageRecords',
    type: 'ImageRecord',
    from: '../image/image-record.ts',
    rows: images,
  }),
)
write('data/price-digests.json', linesOf(frozen(digestsOf({ chat, images }))))
write('CATALOG.md', catalogPage({ chat, images }, { sources, statuses, makers: facts.makers }))
process.stdout.write(`${chat.length} chat models, ${images.length} image models\n`)

/** The digests of all published prices: new ones are added, existing ones never change. */
function frozen(digests: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const file = at('data/price-digests.json')
  const before: Readonly<Record<string, string>> =
    rewrite || !existsSync(file) ? {} : JSON.parse(readFileSync(file, 'utf8'))
  for (const [price, digest] of Object.entries(before)) {
    if (digests[price] !== digest) throw new Error(`${price} is published and has changed`)
  }
  return digests
}

function write(path: string, text: string): void {
  writeFileSync(fileURLToPath(at(path)), text)
}

function linesOf(values: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

function releaseDatesOf(models: readonly ChatFact[]): string {
  const rows = models.flatMap(({ id, released }) =>
    released === undefined ? [] : [`  '${id}': '${released}',\n`],
  )
  return [
    '// Written by scripts/generate.ts. Do not edit: change data/ and run it again.',
    '/** The day or month of release by model id. Source: models.dev (MIT). */',
    'export const releaseDates: Readonly<Record<string, string>> = {',
    `${rows.sort().join('')}}\n`,
  ].join('\n')
}

function moduleOf(module: {
  readonly name: string
  readonly type: string
  readonly from: string
  readonly rows: readonly unknown[]
}): string {
  const rows = module.rows.map((row) => `  ${JSON.stringify(row)},\n`).join('')
  return [
    '// Written by scripts/generate.ts. Do not edit: change data/ and run it again.',
    `import type { ${module.type} } from '${module.from}'`,
    '',
    `export const ${module.name}: readonly ${module.type}[] = [`,
    `${rows}]\n`,
  ].join('\n')
}
