/**
 * Texts that a library has not seen: one call with a new text of each kind, by a new engine and by
 * tiktoken, which has no caches, in one process after a short warm-up with other texts. Processor
 * time; the median ratio of nine calls in turn for a short text, of one for a long one.
 *
 * Usage: `node bench/cold.ts [o200k_base|cl100k_base] [units]`
 */
import { get_encoding } from 'tiktoken'
import { countTokens, createEngine } from '../src/engine/engine.ts'
import { loadShippedVocabulary } from '../src/vocabulary/shipped-vocabulary.ts'
import { corpora } from '../test/support/corpora.ts'
import { wellFormed } from '../test/support/well-formed.ts'
import { worldText } from '../test/support/world-text.ts'
import { cpuTime } from './cpu-time.ts'

const encoding = process.argv[2] === 'cl100k_base' ? 'cl100k_base' : 'o200k_base'
const units = Number(process.argv[3] ?? 10_000_000)
/** Both libraries first count this much of each kind, so that their code is compiled. */
const warmUnits = 200_000
const longUnits = 4_000_000

const tiktoken = get_encoding(encoding)
const vocabulary = loadShippedVocabulary(encoding)
const texts = corpora(units + warmUnits)
for (const text of texts.values()) {
  const slice = wellFormed(text.slice(units))
  countTokens(createEngine(vocabulary), slice)
  tiktoken.encode_ordinary(slice)
}
const world = worldText()
const kinds = world === undefined ? [] : [['528 languages', world] as const]
process.stdout.write(`${encoding}, MB/s of ${units} units\n|text|tiktoken|farebox|ratio|\n`)
for (const [name, whole] of [...texts, ...kinds]) {
  const text = wellFormed(whole.slice(0, units))
  const rounds = text.length < longUnits ? 9 : 1
  const times = Array.from({ length: rounds }, () => measure(name, text))
  const bytes = Buffer.byteLength(text)
  const speed = (key: 'theirs' | 'ours'): string =>
    (bytes / median(times.map((time) => time[key])) / 1000).toFixed(1)
  const ratio = median(times.map(({ theirs, ours }) => theirs / ours))
  process.stdout.write(`|${name}|${speed('theirs')}|${speed('ours')}|${ratio.toFixed(1)}|\n`)
}

function measure(name: string, text: string): { readonly theirs: number; readonly ours: number } {
  const engine = createEngine(vocabulary)
  const start = cpuTime()
  const expected = tiktoken.encode_ordinary(text).length
  const middle = cpuTime()
  const counted = countTokens(engine, text)
  const ours = cpuTime() - middle
  if (counted !== expected) throw new Error(`${name} differs: ${counted}, not ${expected}`)
  return { theirs: middle - start, ours }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
