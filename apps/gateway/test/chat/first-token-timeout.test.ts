import { expect, test } from 'vitest'
import { firstTokenTimeout } from '../../src/chat/first-token-timeout.ts'

test.each([
  ['none', 'openai', 120_000],
  ['none', 'openrouter', 120_000],
  ['none', 'ollama', undefined],
  ['none', 'custom:mine', undefined],
  ['optional', 'openai', undefined],
  ['always', 'openai', undefined],
] as const)(
  'a model with reasoning "%s" at %s has %j ms for its first token',
  (reasoning, name, ms) => {
    expect(firstTokenTimeout({ reasoning }, name)).toBe(ms)
  },
)
