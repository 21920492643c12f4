/**
 * Prints what a browser downloads for each import: the bundle, minified and compressed by gzip, and
 * the table. Usage: `node --conditions=farebox-source bench/bundle-sizes.ts`
 */
import { statSync } from 'node:fs'
import { bundle, vocabularyDoors } from '../test/support/bundle.ts'

const imports: readonly (readonly [door: string, exported: string, table?: string])[] = [
  ['', 'createTokenizer'],
  ['', 'countChatTokens, createCounter'],
  ['', 'countImageTokens'],
  ['/web', 'fetchTokenizer'],
  ...Object.entries(vocabularyDoors).map(
    ([door, table]) => [`/${door}`, 'countTokens', table] as const,
  ),
]

console.log('| import | of @farebox/tokenizer | bundle, KB | with gzip, KB | table, KB |')
console.log('|---|---|---|---|---|')
for (const [door, exported, table] of imports) {
  const { bytes, compressed } = await bundle(door, exported)
  const file = new URL(`../assets/web/${table ?? ''}.pack`, import.meta.url)
  const tableBytes = table === undefined ? '' : kilobytes(statSync(file).size)
  const cells = [exported, door, kilobytes(bytes), kilobytes(compressed), tableBytes]
  console.log(`| ${cells.join(' | ')} |`)
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)
}
