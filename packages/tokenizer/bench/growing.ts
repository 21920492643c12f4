/**
 * A text counted as it grows, in parts of one to four UTF-16 units: processor milliseconds for all parts of
 * 10,000 and of 100,000 units, best of three. Prints English, the mixtures and the three slowest shapes.
 *
 * Usage: `node bench/growing.ts [o200k_base|cl100k_base|...]`
 */
import { createTextEngine } from '../src/engine/text-engine.ts'
import {
  loadShippedVocabulary,
  type ShippedEncoding,
} from '../src/vocabulary/shipped-vocabulary.ts'
import { mixtures, type Shape, shapes } from '../test/support/adversarial.ts'
import { corpora } from '../test/support/corpora.ts'
import { cpuTime } from './cpu-time.ts'

const encoding = (process.argv[2] ?? 'o200k_base') as ShippedEncoding
const engine = createTextEngine(loadShippedVocabulary(encoding))

function countGrowing(text: string): number {
  const start = cpuTime()
  const { write } = engine.streamCounter()
  for (let at = 0, part = 0; at < text.length; part += 1) {
    const length = 1 + ((part * 7) % 4)
    write(text.slice(at, at + length))
    at += length
  }
  return cpuTime() - start
}

function best(text: string): number {
  return Math.min(...[1, 2, 3].map(() => countGrowing(text)))
}

const times = ({ name, make }: Shape) => ({
  name,
  small: best(make(10_000)),
  large: best(make(100_000)),
})

const english = (length: number): string => corpora(length).get('English') ?? ''
countGrowing(english(100_000))
// Thousands of marks on one character take Qwen minutes.
const measured = shapes.filter(({ name }) => encoding !== 'qwen' || name !== 'combining acute')
const slowest = measured.map(times).toSorted((a, b) => b.large - a.large)
const rows = [
  ...[{ name: 'English', make: english }, ...mixtures].map(times),
  ...slowest.slice(0, 3),
]
process.stdout.write(`${encoding}, ms\n|text|10k|100k|\n|---|---|---|\n`)
for (const { name, small, large } of rows) {
  process.stdout.write(`|${JSON.stringify(name)}|${small.toFixed(0)}|${large.toFixed(0)}|\n`)
}
