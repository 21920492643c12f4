/**
 * One pass over text that was never seen, as a service meets it: all libraries in one process, each
 * given every slice of `units` UTF-16 units once, in turn; nothing is repeated and no memo cleared.
 *
 * Usage: `node bench/cold.ts [o200k_base|cl100k_base] [units]`
 */
import { get_encoding } from 'tiktoken'
import { countTokens, createEngine } from '../src/engine/engine.ts'
import { loadShippedVocabulary } from '../src/shipped-vocabulary.ts'
import { corpora } from '../test/support/corpora.ts'
import { cpuTime } from './cpu-time.ts'

const encoding = process.argv[2] === 'cl100k_base' ? 'cl100k_base' : 'o200k_base'
const units = Number(process.argv[3] ?? 10_000_000)
const sliceUnits = 1_000_000
/** Of each kind, counted first by both: code is compiled when it has run for a while. */
const warmUnits = 50_000

const tiktoken = get_encoding(encoding)
const texts = corpora(units)
process.stdout.write(
  `${encoding}, MB/s in one pass over ${units} units\n|text|tiktoken|farebox|ratio|\n`,
)
const warm = createEngine(loadShippedVocabulary(encoding))
for (const text of texts.values()) {
  const slice = text.slice(-warmUnits).replaceAll(/\p{Surrogate}/gu, '')
  countTokens(warm, slice)
  tiktoken.encode_ordinary(slice)
}
for (const [name, text] of texts) {
  const engine = createEngine(loadShippedVocabulary(encoding))
  let theirs = 0
  let ours = 0
  for (let start = 0; start < text.length; start += sliceUnits) {
    const slice = text.slice(start, start + sliceUnits).replaceAll(/\p{Surrogate}/gu, '')
    const begin = cpuTime()
    const expected = tiktoken.encode_ordinary(slice).length
    const middle = cpuTime()
    const counted = countTokens(engine, slice)
    ours += cpuTime() - middle
    theirs += middle - begin
    if (counted !== expected) throw new Error(`${name} differs at ${start}`)
  }
  const bytes = Buffer.byteLength(text)
  const speed = (time: number): string => (bytes / time / 1000).toFixed(1)
  process.stdout.write(`|${name}|${speed(theirs)}|${speed(ours)}|${(theirs / ours).toFixed(1)}|\n`)
}
