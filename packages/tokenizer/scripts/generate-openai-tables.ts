/**
 * Writes the tables of OpenAI's vocabularies to `assets/` from the ranks in the `tiktoken`
 * package (MIT). Usage: `node scripts/generate-openai-tables.ts`
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { buildVocabulary } from '../src/engine/table/build-vocabulary.ts'
import { type ScannerName, writeTableFile } from '../src/engine/table/table-file.ts'

type Encoder = {
  readonly special_tokens: Readonly<Record<string, number>>
  readonly bpe_ranks: string
}

const require = createRequire(import.meta.url)
const assets = new URL('../assets/', import.meta.url)

const vocabularies = [
  ['o200k_base', 'o200k'],
  ['cl100k_base', 'cl100k'],
  ['p50k_base', 'r50k'],
  ['r50k_base', 'r50k'],
] as const satisfies readonly (readonly [string, ScannerName])[]

mkdirSync(assets, { recursive: true })
for (const [encoding, scanner] of vocabularies) {
  const file = require.resolve(`tiktoken/encoders/${encoding}.json`)
  const encoder: Encoder = JSON.parse(readFileSync(file, 'utf8'))
  const special = Object.fromEntries(
    Object.entries(encoder.special_tokens).map(([text, id]) => [String(id), text]),
  )
  const tokens = readRanks(encoder.bpe_ranks)
  const built = buildVocabulary({ encoding, scanner, normalization: 'none', special, tokens })
  const bytes = writeTableFile(built)
  writeFileSync(new URL(`${encoding}.bin`, assets), bytes)
  process.stdout.write(
    `${encoding}: ${tokens.length} tokens, ${built.header.slots} slots, ${bytes.length} bytes\n`,
  )
}

/** Lines of `!`, the first id, and tokens in base64 with consecutive ids. */
function readRanks(ranks: string): readonly (Uint8Array | null)[] {
  const tokens: (Uint8Array | null)[] = []
  for (const line of ranks.split('\n')) {
    const [, first, ...rest] = line.split(' ')
    if (first === undefined) continue
    for (const [index, token] of rest.entries()) {
      const id = Number(first) + index
      while (tokens.length <= id) tokens.push(null)
      tokens[id] = Uint8Array.from(Buffer.from(token, 'base64'))
    }
  }
  return tokens
}
