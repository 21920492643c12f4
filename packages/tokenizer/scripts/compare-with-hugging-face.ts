/**
 * Compares the open vocabularies with Hugging Face's native `tokenizers`: ids and counts over eight
 * corpora of `units` each (2^20 by default), `strings` fuzz strings (20,000), 37 hostile shapes of
 * 100,000 units and, for a vocabulary that merges characters, `strings` of its symbols and spaces;
 * writes the vectors with which the tests check the shipped ones without it. Exits with 1 on any
 * difference.
 *
 * Usage: `node scripts/compare-with-hugging-face.ts [units] [strings] [vocabulary]`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { convertHuggingFace } from '../src/convert/convert-hugging-face.ts'
import type { HuggingFaceTokenizer } from '../src/convert/hugging-face-tokenizer.ts'
import { buildVocabulary } from '../src/engine/table/build-vocabulary.ts'
import { writeTableFile } from '../src/engine/table/table-file.ts'
import { createTokenizer } from '../src/vocabulary/create-tokenizer.ts'
import type { Tokenizer } from '../src/vocabulary/tokenizer.ts'
import { shapes } from '../test/support/adversarial.ts'
import { corpora } from '../test/support/corpora.ts'
import { fuzzString } from '../test/support/fuzz.ts'
import { idsDigest } from '../test/support/ids-digest.ts'
import { seeded } from '../test/support/seeded.ts'
import { wellFormed } from '../test/support/well-formed.ts'
import { openVocabularies } from './support/open-vocabularies.ts'
import { reportDifferences } from './support/report-differences.ts'
import { symbolStrings, symbolsOf } from './support/symbols.ts'
import { unpackPackage } from './support/unpack-package.ts'

const [units = 1 << 20, strings = 20_000] = process.argv.slice(2, 4).map(Number)
const [only] = process.argv.slice(4)

type Encoded = { getIds(): readonly number[] }
type Oracle = {
  encode(text: string, pair: null, options: { addSpecialTokens: boolean }): Promise<Encoded>
}
type Oracles = { Tokenizer: { fromString(json: string): Oracle } }

const oracles: Oracles = createRequire(import.meta.url)(
  unpackPackage({
    name: 'tokenizers',
    version: '0.23.2',
    integrity:
      'sha512-OS99VXTXuGuyUncICcS0hEawgKQlrFVKNU+UlzRsTN03RpOeJiCmcai5nKg3JrdIvUDo7/RC5puVEjlJd2e5oA==',
  }),
)
const random = seeded(2026)
const fuzz = Array.from({ length: strings }, () => fuzzString(random))
const texts = corpora(units)
const hostile = shapes.map(({ make }) => make(100_000))

for (const { encoding, shipped, source } of openVocabularies) {
  if (only !== undefined && only !== encoding) continue
  const json: HuggingFaceTokenizer = JSON.parse(
    readFileSync(join(unpackPackage(source), 'models', 'tokenizer.json'), 'utf8'),
  )
  const built = buildVocabulary(convertHuggingFace(json, encoding))
  const ours = createTokenizer(writeTableFile(built))
  const plain = { ...json, added_tokens: symbolsOf(json), post_processor: null }
  const theirs = oracles.Tokenizer.fromString(JSON.stringify(plain))
  for (const [name, text] of texts) await report(`${encoding} ${name}`, [text], { ours, theirs })
  await report(`${encoding} fuzz`, fuzz, { ours, theirs })
  await report(`${encoding} shapes`, hostile, { ours, theirs })
  const symbols = symbolsOf(json).map(({ content }) => content)
  if (symbols.length > 0) {
    await report(`${encoding} symbols`, symbolStrings(symbols, strings), { ours, theirs })
  }
  if (shipped) await writeVectors(encoding, theirs)
}

async function idsOf(theirs: Oracle, text: string): Promise<readonly number[]> {
  const encoded = await theirs.encode(wellFormed(text), null, { addSpecialTokens: false })
  return encoded.getIds()
}

type Pair = { readonly ours: Tokenizer; readonly theirs: Oracle }

async function report(
  title: string,
  list: readonly string[],
  { ours, theirs }: Pair,
): Promise<void> {
  const different: string[] = []
  for (const text of list) {
    const expected = await idsOf(theirs, text)
    const ids = ours.encode(text)
    const same = ids.length === expected.length && expected.every((id, at) => id === ids[at])
    if (!same || ours.countTokens(text) !== ids.length) different.push(text)
  }
  reportDifferences(title, list, different)
}

/** For the first fuzz strings of a seed: the number of ids, and a digest of them in batches of 50. */
async function writeVectors(encoding: string, theirs: Oracle): Promise<void> {
  const drawn = seeded(7)
  const batches: { readonly tokens: number; readonly digest: string }[] = []
  for (let batch = 0; batch < 60; batch += 1) {
    const ids: number[] = []
    for (let count = 0; count < 50; count += 1) {
      for (const id of await idsOf(theirs, fuzzString(drawn))) ids.push(id)
      ids.push(-1)
    }
    batches.push({ tokens: ids.length - 50, digest: idsDigest(ids) })
  }
  const file = new URL(`../test/vectors/${encoding}.json`, import.meta.url)
  const head = { oracle: 'tokenizers 0.23.2', seed: 7, stringsPerBatch: 50 }
  writeFileSync(file, `${JSON.stringify({ ...head, batches }, null, 1)}\n`)
}
