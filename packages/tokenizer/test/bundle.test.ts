import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { bundle, vocabularyDoors } from './support/bundle.ts'

test.each(Object.entries(vocabularyDoors))(
  '%s is at most 20 KB in a bundle for a browser, and its table at most 750 KB',
  async (door, table) => {
    const { compressed } = await bundle(`/${door}`, 'countTokens')
    expect(compressed).toBeGreaterThan(5_000)
    expect(compressed).toBeLessThan(20_000)
    const file = new URL(`../assets/web/${table}.pack`, import.meta.url)
    expect(statSync(file).size).toBeLessThan(750_000)
  },
)
