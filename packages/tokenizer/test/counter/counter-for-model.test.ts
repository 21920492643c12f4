import { expect, test } from 'vitest'
import { counterForModel } from '../../src/counter/counter-for-model.ts'

test.each([
  ['gpt-4', 'openai-cl100k'],
  ['openai/gpt-4-turbo', 'openai-cl100k'],
  ['openai/gpt-3.5-turbo-0613', 'openai-cl100k'],
  ['openai/gpt-4o-mini', 'openai-o200k'],
  ['openai/gpt-4.1-nano', 'openai-o200k'],
  ['openai/gpt-5.1-codex', 'openai-reasoning'],
  ['openai/o4-mini', 'openai-reasoning'],
  ['groq/openai/gpt-oss-20b', 'gpt-oss'],
  ['anthropic/claude-opus-4.6', 'claude'],
  ['anthropic/claude-opus-4.7', 'claude-4.7'],
  ['anthropic/claude-sonnet-5', 'claude-4.7'],
  ['anthropic/claude-haiku-5.5', 'claude-4.7'],
  ['google/gemini-3.1-pro-preview', 'gemini'],
  ['meta-llama/llama-3.3-70b-instruct', 'llama3'],
  ['meta-llama/llama-4-scout', 'llama4'],
  ['mistralai/mistral-nemo', 'mistral'],
  ['mistralai/mistral-small-2603', 'mistral-small'],
  ['magistral-small-latest', 'mistral-small'],
  ['mistralai/mixtral-8x22b-instruct', 'mistral-spm'],
  ['qwen/qwen-2.5-72b-instruct', 'qwen'],
  ['qwen/qwen3-32b', 'qwen'],
  ['qwen/qwen3.5-27b', 'qwen-3.5'],
  ['deepseek/deepseek-chat-v3.1', 'deepseek'],
  ['x-ai/grok-4.3', 'grok-4.3'],
  ['x-ai/grok-4.5', 'grok'],
  ['moonshotai/kimi-k3', 'kimi'],
  ['z-ai/glm-5', 'glm-5'],
  ['fireworks/accounts/fireworks/models/glm-5p3', 'glm-5'],
  ['z-ai/glm-4.7', 'glm'],
  ['sakana/fugu-max', 'generic'],
] as const)('%s is counted by %s', (model, counter) => {
  expect(counterForModel(model)).toBe(counter)
})
