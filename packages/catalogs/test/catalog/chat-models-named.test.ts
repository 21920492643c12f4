import { expect, test } from 'vitest'
import { chatModelsNamed, shippedCatalog } from '../../src/index.ts'

const { chat } = shippedCatalog(new Date('2026-11-20'))

test.each([
  ['gpt-5', 'openai/gpt-5'],
  ['GPT-5', 'openai/gpt-5'],
  ['openai/gpt-5-2025-08-07', 'openai/gpt-5'],
  ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4.5'],
  ['claude-sonnet-4-5@20250929', 'anthropic/claude-sonnet-4.5'],
  ['anthropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
  ['models/gemini-2.5-flash', 'google/gemini-2.5-flash'],
  ['openrouter/openai/gpt-5-mini', 'openai/gpt-5-mini'],
])('%s means %s', (name, id) => {
  expect(chatModelsNamed(name, chat).map((model) => model.id)).toEqual([id])
})

test.each(['', 'gpt', 'constructor', '2025-08-07'])('%j means no model', (name) => {
  expect(chatModelsNamed(name, chat)).toEqual([])
})

test('release dates are days or months before the prices', () => {
  const released = chat.flatMap((model) => model.released ?? [])
  expect(released.length).toBeGreaterThan(150)
  for (const day of released) {
    expect(day).toMatch(/^20\d\d-\d\d(-\d\d)?$/)
    expect(Date.parse(day)).toBeLessThan(Date.parse('2026-11-20'))
  }
})
