/**
 * The hostile shapes: processor milliseconds for 100,000 and 1,000,000 UTF-16 units, best of three, and the
 * time per unit from 10,000 to 10,000,000 of the slowest. tiktoken runs once, on 10,000 units: longer
 * texts take seconds.
 *
 * Usage: `node bench/worst-cases.ts [o200k_base|cl100k_base]`
 */
import { get_encoding } from 'tiktoken'
import { countTokens, createEngine } from '../src/engine/engine.ts'
import { loadShippedVocabulary } from '../src/vocabulary/shipped-vocabulary.ts'
import { type Shape, shapes } from '../test/support/adversarial.ts'
import { cpuTime } from './cpu-time.ts'

const encoding = process.argv[2] === 'cl100k_base' ? 'cl100k_base' : 'o200k_base'
const engine = createEngine(loadShippedVocabulary(encoding))
const tiktoken = get_encoding(encoding)

function best(rounds: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    engine.state.pairMemo.fill(-1)
    engine.state.pieceMemo.fill(0)
    const start = cpuTime()
    work()
    least = Math.min(least, cpuTime() - start)
  }
  return least
}

type Row = { readonly shape: Shape; readonly small: number; readonly large: number }

for (const { make } of shapes) countTokens(engine, make(20_000))
process.stdout.write(`${encoding}, ms\n|shape|tiktoken 10k|farebox 10k|100k|1M|1M / 100k|\n`)
const rows: Row[] = []
for (const shape of shapes) {
  const [tiny, short, long] = [10_000, 100_000, 1_000_000].map(shape.make)
  const theirs = best(1, () => tiktoken.encode_ordinary(tiny ?? ''))
  const ours = best(3, () => countTokens(engine, tiny ?? ''))
  const small = best(3, () => countTokens(engine, short ?? ''))
  const large = best(2, () => countTokens(engine, long ?? ''))
  rows.push({ shape, small, large })
  const cells = [theirs, ours, small, large].map((time) => time.toFixed(1))
  process.stdout.write(`|${shape.name}|${cells.join('|')}|${(large / small).toFixed(1)}|\n`)
}
const most = (key: 'small' | 'large'): string => Math.max(...rows.map((row) => row[key])).toFixed(1)
process.stdout.write(`|all, at most|||${most('small')}|${most('large')}||\n`)
const slowest = rows.toSorted((a, b) => b.large - a.large).slice(0, 3)
for (const { shape } of slowest) {
  const nanoseconds = [10_000, 100_000, 1_000_000, 10_000_000].map((units) => {
    const text = shape.make(units)
    return ((best(2, () => countTokens(engine, text)) * 1e6) / units).toFixed(0)
  })
  process.stdout.write(`${shape.name}: ${nanoseconds.join(', ')} ns a unit at 10k, 100k, 1M, 10M\n`)
}
