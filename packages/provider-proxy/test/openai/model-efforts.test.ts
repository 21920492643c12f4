import { chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import {
  anthropicLimits,
  geminiLimits,
  groqProfile,
  moonshotProfile,
  openAiProfile,
  openRouterProfile,
  unsupportedField,
  xAiProfile,
} from '../../src/index.ts'

/** The efforts that each model takes, by the name that its provider has for it. */
test.each([
  [openAiProfile, 'o3-mini', 'low medium high'],
  [openAiProfile, 'gpt-5', 'minimal low medium high'],
  [openAiProfile, 'gpt-5-mini-2025-08-07', 'minimal low medium high'],
  [openAiProfile, 'gpt-5.1', 'none low medium high'],
  [openAiProfile, 'gpt-5.2-pro', 'medium high xhigh'],
  [openAiProfile, 'gpt-5.5', 'none low medium high xhigh'],
  [openAiProfile, 'gpt-5.6-sol', 'none low medium high xhigh max'],
  [openAiProfile, 'gpt-6-luna', 'none low medium high xhigh max'],
  [anthropicLimits, 'claude-opus-4-5-20251101', 'none low medium high'],
  [anthropicLimits, 'claude-sonnet-4-6', 'none low medium high max'],
  [anthropicLimits, 'claude-opus-4-7', 'none low medium high xhigh max'],
  [anthropicLimits, 'claude-sonnet-5', 'none low medium high xhigh max'],
  [geminiLimits, 'gemini-2.5-flash-lite', 'none minimal low medium high'],
  [geminiLimits, 'gemini-2.5-pro', 'minimal low medium high'],
  [geminiLimits, 'gemini-3.1-flash-lite', 'minimal low medium high'],
  [geminiLimits, 'gemini-3.1-pro-preview', 'low medium high'],
  [geminiLimits, 'gemini-3.8-flash', 'low medium high'],
  [xAiProfile, 'grok-4.3', 'none low medium high xhigh'],
  [groqProfile, 'qwen/qwen3.6-27b', 'none'],
  [groqProfile, 'qwen/qwen3.8-27b', 'none low medium high'],
  [moonshotProfile, 'kimi-k2.6', ''],
  [moonshotProfile, 'kimi-k3', 'low high max'],
  [openRouterProfile, 'openai/o3-mini', 'none minimal low medium high xhigh max'],
])('$1 takes the efforts $2', (limits, model, expected) => {
  const all = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
  const taken = all.filter(
    (reasoning_effort) => unsupportedField(limits, requestWith(reasoning_effort), model) === null,
  )
  expect(taken.join(' ')).toBe(expected)
})

test('an effort without reasoning is refused where it would switch reasoning on', () => {
  const request = requestWith('high', { reasoning: { enabled: false } })
  expect(unsupportedField(openRouterProfile, request)).toBe('reasoning.enabled')
  expect(unsupportedField(anthropicLimits, request)).toBeNull()
})

function requestWith(reasoning_effort: string, more: object = {}) {
  const messages = [{ role: 'user', content: 'hi' }]
  return chatRequestSchema.parse({ messages, reasoning_effort, ...more })
}
