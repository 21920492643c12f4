import { expect, test } from 'vitest'
import { originOption } from '../src/local/origin-option.ts'

test.each([
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://LocalHost:3000/', 'http://localhost:3000'],
  ['app://obsidian.md', 'app://obsidian.md'],
  ['null', 'null'],
])('%s is the origin %s', (text, origin) => {
  expect(originOption(text, ['https://a.example'])).toEqual(['https://a.example', origin])
})
