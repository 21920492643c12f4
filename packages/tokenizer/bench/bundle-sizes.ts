/**
 * Prints what a browser downloads for each import: the bundle, minified and compressed by gzip, and
 * the table, in KB. These are the rows of the README's table.
 *
 * Usage: `node --conditions=farebox-source bench/bundle-sizes.ts`
 */
import { statSync } from 'node:fs'
import { bundle, bundledImports } from '../test/support/bundle.ts'

for (const { name, door, exported, table } of bundledImports) {
  const { bytes, compressed } = await bundle(door, exported)
  const file = new URL(`../assets/web/${table ?? ''}.pack`, import.meta.url)
  const tableBytes = table === undefined ? '' : kilobytes(statSync(file).size)
  console.log(`| ${[name, kilobytes(bytes), kilobytes(compressed), tableBytes].join(' | ')} |`)
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)
}
