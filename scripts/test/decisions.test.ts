import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../../docs/decisions/', import.meta.url)

test('decisions are numbered one after the other, in name and title alike', () => {
  const pages = readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .toSorted()
  expect(pages.map((name) => Number(name.slice(0, 4)))).toEqual(pages.map((_, index) => index + 1))
  for (const [index, name] of pages.entries()) {
    expect(readFileSync(new URL(name, folder), 'utf8')).toMatch(new RegExp(`^# ${index + 1}\\. `))
  }
})
