/**
 * One call with a new text of each kind, by both libraries in one process after a short warm-up;
 * nothing is repeated and no cache is cleared. Processor time.
 *
 * Usage: `node bench/cold.ts [o200k_base|cl100k_base] [units]`
 */
import { get_encoding } from 'tiktoken'
import { countTokens, createEngine } from '../src/engine/engine.ts'
import { loadShippedVocabulary } from '../src/vocabulary/shipped-vocabulary.ts'
import { corpora } from '../test/support/corpora.ts'
import { wellFormed } from '../test/support/well-formed.ts'
import { cpuTime } from './cpu-time.ts'

const encoding = process.argv[2] === 'cl100k_base' ? 'cl100k_base' : 'o200k_base'
const units = Number(process.argv[3] ?? 10_000_000)
/** Both libraries first count this much of each kind, so that their code is compiled. */
const warmUnits = 200_000

const tiktoken = get_encoding(encoding)
const vocabulary = loadShippedVocabulary(encoding)
const texts = corpora(units + warmUnits)
const warm = createEngine(vocabulary)
for (const text of texts.values()) {
  const slice = wellFormed(text.slice(units))
  countTokens(warm, slice)
  tiktoken.encode_ordinary(slice)
}
process.stdout.write(`${encoding}, MB/s of ${units} units\n|text|tiktoken|farebox|ratio|\n`)
for (const [name, whole] of texts) {
  const text = wellFormed(whole.slice(0, units))
  const engine = createEngine(vocabulary)
  const start = cpuTime()
  const expected = tiktoken.encode_ordinary(text).length
  const middle = cpuTime()
  const counted = countTokens(engine, text)
  const [theirs, ours] = [middle - start, cpuTime() - middle]
  if (counted !== expected) throw new Error(`${name} differs: ${counted}, not ${expected}`)
  const bytes = Buffer.byteLength(text)
  const speed = (time: number): string => (bytes / time / 1000).toFixed(1)
  process.stdout.write(`|${name}|${speed(theirs)}|${speed(ours)}|${(theirs / ours).toFixed(1)}|\n`)
}
