/**
 * Measures a vocabulary that merges characters, on your own table file: processor milliseconds
 * of the slowest hostile shapes by UTF-16 units, with empty caches, and the speed on eight corpora.
 *
 * Usage: `node scripts/measure-characters.ts gemma3.bin`
 */
import { readFileSync } from 'node:fs'
import { countCharacterTokens, createCharacterEngine } from '../src/engine/character-engine.ts'
import { readTableFile } from '../src/engine/table/table-file.ts'
import { type Shape, shapes } from '../test/support/adversarial.ts'
import { corpora } from '../test/support/corpora.ts'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Pass a table file')
const engine = createCharacterEngine(readTableFile(readFileSync(file)))

function milliseconds(text: string, rounds: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    engine.state.pairMemo.fill(-1)
    engine.state.pieceMemo.fill(0)
    const start = process.cpuUsage()
    countCharacterTokens(engine, text)
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

type Row = { readonly shape: Shape; readonly times: readonly number[] }

function measure(shape: Shape): Row {
  const times = [10_000, 100_000, 1_000_000].map((units) => milliseconds(shape.make(units), 3))
  return { shape, times }
}

for (const { make } of shapes) countCharacterTokens(engine, make(20_000))
const rows = shapes.map(measure).sort((a, b) => (b.times[2] ?? 0) - (a.times[2] ?? 0))
process.stdout.write('|shape|10k|100k|1M|\n|---|---|---|---|\n')
for (const { shape, times } of rows.slice(0, 6)) {
  process.stdout.write(`|${[shape.name, ...times.map((time) => time.toFixed(1))].join('|')}|\n`)
}
for (const { shape } of rows.slice(0, 3)) {
  const nanoseconds = [10_000, 100_000, 1_000_000, 10_000_000].map((units) =>
    ((milliseconds(shape.make(units), 2) * 1e6) / units).toFixed(0),
  )
  process.stdout.write(`${shape.name}: ${nanoseconds.join(', ')} ns a unit at 10k, 100k, 1M, 10M\n`)
}
for (const [name, text] of corpora(1 << 20)) {
  const speed = Buffer.byteLength(text) / milliseconds(text, 1) / 1000
  process.stdout.write(`${name}: ${speed.toFixed(1)} MB/s\n`)
}
