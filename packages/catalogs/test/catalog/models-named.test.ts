import { expect, test } from 'vitest'
import { modelsNamed, shippedCatalog } from '../../src/index.ts'

const { chat, images } = shippedCatalog(new Date('2026-11-20'))

test.each([
  ['gpt-5', 'openai/gpt-5'],
  ['GPT-5', 'openai/gpt-5'],
  ['openai/gpt-5-2025-08-07', 'openai/gpt-5'],
  ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4.5'],
  ['claude-sonnet-4-5@20250929', 'anthropic/claude-sonnet-4.5'],
  ['anthropic/claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5'],
  ['models/gemini-2.5-flash', 'google/gemini-2.5-flash'],
  ['openrouter/openai/gpt-5-mini', 'openai/gpt-5-mini'],
  ['openai:gpt-5', 'openai/gpt-5'],
  [' gpt-5 ', 'openai/gpt-5'],
  ['azure/gpt-4o', 'openai/gpt-4o'],
  ['gpt-4o-2024-08-06', 'openai/gpt-4o-2024-08-06'],
  ['o3-2025-04-16', 'openai/o3'],
  ['gpt-oss-120b', 'cerebras/gpt-oss-120b', 'openai/gpt-oss-120b'],
  ['claude-sonnet-4.5', 'anthropic/claude-sonnet-4.5'],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-sonnet-4.5'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-sonnet-4.5'],
  ['bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-sonnet-4.5'],
  ['us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic/claude-sonnet-4.5'],
  ['anthropic/claude-4.5-haiku-20251001', 'anthropic/claude-haiku-4.5'],
  ['claude-5-sonnet', 'anthropic/claude-sonnet-5'],
  ['vertex_ai/claude-sonnet-4-5@20250929', 'anthropic/claude-sonnet-4.5'],
  ['gemini/gemini-2.5-flash', 'google/gemini-2.5-flash'],
  ['gemini-2.5-flash-001', 'google/gemini-2.5-flash'],
  ['publishers/google/models/gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ['xai/grok-4.3', 'x-ai/grok-4.3'],
  ['mistral-nemo', 'mistralai/mistral-nemo'],
  ['deepseek-chat', 'deepseek/deepseek-chat'],
  ['llama-3.3-70b-versatile', 'groq/llama-3.3-70b-versatile'],
  ['meta-llama/Llama-3.3-70B-Instruct', 'meta-llama/llama-3.3-70b-instruct'],
  ['kimi-k2', 'moonshotai/kimi-k2'],
  ['glm-4.6', 'z-ai/glm-4.6'],
])('%s means %s', (name, ...ids) => {
  expect(modelsNamed(name, chat).map((model) => model.id)).toEqual(ids)
})

test.each([
  ['gpt-image-1', 'openai/gpt-image-1'],
  ['gpt-image-1-2025-04-23', 'openai/gpt-image-1'],
  ['openai:GPT-Image-1.5', 'openai/gpt-image-1.5'],
  ['nano-banana', 'google/nano-banana'],
  ['runware:100@1', 'black-forest-labs/flux.1-schnell'],
])('%s means the image model %s', (name, id) => {
  expect(modelsNamed(name, images).map((model) => model.id)).toEqual([id])
})

test.each([
  ...['', 'gpt', 'constructor', '2025-08-07', 'models/', ':', 'azure/', 'openai:', 'gpt-5:online'],
  // Moving aliases, and models that are retired or have no offer.
  ...['mistral-large-latest', 'gpt-5-chat-latest', 'pixtral-12b', 'gemini-2.0-flash', 'grok-4'],
])('%j means no model', (name) => {
  expect(modelsNamed(name, chat)).toEqual([])
})

test('a name that is not a string is refused', () => {
  expect(() => Reflect.apply(modelsNamed, null, [5, chat])).toThrow(/^name must be a string/)
})

test('a release date is a day or a month, and before the date of the catalog', () => {
  const released = chat.flatMap((model) => model.released ?? [])
  expect(released.length).toBeGreaterThan(150)
  for (const day of released) {
    expect(day).toMatch(/^20\d\d-\d\d(-\d\d)?$/)
    expect(Date.parse(day)).toBeLessThan(Date.parse('2026-11-20'))
  }
})
