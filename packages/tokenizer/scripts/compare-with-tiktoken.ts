/**
 * Compares ids and counts with `tiktoken`: eight corpora of `units` each (10 million by default),
 * `strings` fuzz strings (100,000), every code point. Exits with 1 on any difference.
 *
 * Usage: `node scripts/compare-with-tiktoken.ts [units] [strings]`
 */
import { get_encoding, type Tiktoken } from 'tiktoken'
import { sliceText } from '../src/engine/scan/text-window.ts'
import { tokenizerOf } from '../src/vocabulary/create-tokenizer.ts'
import { loadShippedVocabulary } from '../src/vocabulary/shipped-vocabulary.ts'
import type { Tokenizer } from '../src/vocabulary/tokenizer.ts'
import { codePointProbes } from '../test/support/code-point-probes.ts'
import { corpora } from '../test/support/corpora.ts'
import { fuzzString } from '../test/support/fuzz.ts'
import { seeded } from '../test/support/seeded.ts'
import { reportDifferences } from './support/report-differences.ts'

const [units = 10_000_000, strings = 100_000] = process.argv.slice(2).map(Number)
const texts = new Map<string, readonly string[]>([
  ...[...corpora(units)].map(([name, text]) => [name, [text]] as const),
  ['fuzz', fuzzStrings()],
  ['code points', codePointProbes(1)],
])
for (const encoding of ['o200k_base', 'cl100k_base', 'p50k_base', 'r50k_base'] as const) {
  const ours = tokenizerOf(loadShippedVocabulary(encoding))
  const theirs = get_encoding(encoding)
  for (const [name, list] of texts) report(`${encoding} ${name}`, list, differ(ours, theirs))
  theirs.free()
}

function fuzzStrings(): readonly string[] {
  const random = seeded(2026)
  return Array.from({ length: strings }, () => fuzzString(random))
}

/** Both count a long text as a whole; we also count it in slices. */
function differ(ours: Tokenizer, theirs: Tiktoken): (text: string) => boolean {
  return (text) => {
    const expected = theirs.encode_ordinary(text)
    const ids = ours.encode(text)
    const sliced = sliceText(text, 1 << 20).reduce((sum, part) => sum + ours.countTokens(part), 0)
    const sameIds = ids.length === expected.length && expected.every((id, at) => id === ids[at])
    return !sameIds || ours.countTokens(text) !== ids.length || sliced !== ids.length
  }
}

function report(title: string, list: readonly string[], differs: (text: string) => boolean): void {
  reportDifferences(title, list, list.filter(differs))
}
