/**
 * Writes the tables of `assets/` again for the web, packed and compressed, to `assets/web/`.
 * Usage: `node scripts/pack-tables.ts`
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { packVocabulary } from '../src/engine/table/packed-table.ts'
import { readTableFile } from '../src/engine/table/table-file.ts'

const assets = new URL('../assets/', import.meta.url)

mkdirSync(new URL('web/', assets), { recursive: true })
for (const file of readdirSync(assets).filter((name) => name.endsWith('.bin'))) {
  const table = readTableFile(readFileSync(new URL(file, assets)))
  const packed = gzipSync(packVocabulary(table), { level: 9, memLevel: 9 })
  writeFileSync(new URL(`web/${file.replace('.bin', '.pack')}`, assets), packed)
  process.stdout.write(`${file}: ${packed.length} bytes\n`)
}
