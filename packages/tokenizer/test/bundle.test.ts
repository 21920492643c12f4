import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundle, bundledImports } from './support/bundle.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const rows = readme.slice(readme.indexOf('| import | bundle, minified |')).split('\n')

test.each(bundledImports)(
  '$name is as large in a bundle for a browser as the README says',
  async ({ name, door, exported, table }) => {
    const row = rows.find((line) => line.startsWith(`| ${name} |`)) ?? ''
    const [, , minified, compressed, file] = row.split('|').map((cell) => Number(cell) * 1000)
    const size = await bundle(door, exported)
    // A version of the bundler or of zlib may change a little.
    expect(Math.abs(size.bytes / (minified ?? 0) - 1)).toBeLessThan(0.02)
    expect(Math.abs(size.compressed / (compressed ?? 0) - 1)).toBeLessThan(0.04)
    const { size: bytes } =
      table === undefined
        ? { size: 0 }
        : statSync(new URL(`../assets/web/${table}.pack`, import.meta.url))
    expect(Math.abs(bytes - (file ?? 0))).toBeLessThan(1000)
  },
)
