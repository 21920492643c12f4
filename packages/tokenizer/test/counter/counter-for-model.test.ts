import { expect, test } from 'vitest'
import { encodingsOf } from '../../src/counter/counter.ts'
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
  ['gpt-4-1106-preview', 'openai-cl100k'],
  ['azure/gpt-35-turbo-16k', 'openai-cl100k'],
  ['azure/gpt-4-1-mini', 'openai-o200k'],
  ['openai:gpt-5', 'openai-reasoning'],
  ['ft:o4-mini-2025-04-16:acme::id', 'openai-reasoning'],
  ['models/gemini-2.5-flash-lite', 'gemini'],
  ['gemini-live-2.5-flash', 'gemini'],
  ['google/gemini-3-pro-preview', 'gemini'],
  ['google/gemini-3.1-pro-preview', 'gemini-3.1'],
  ['gemini-flash-latest', 'gemini-3.1'],
  ['gemma3:27b', 'gemini'],
  ['google/gemma-2-9b-it', 'gemini-3.1'],
  ['google/gemma-3n-e4b-it', 'gemini-3.1'],
  ['google/gemma-4-31b-it', 'gemini-3.1'],
  ['meta-llama/llama-3.3-70b-instruct', 'llama3'],
  ['meta-llama/llama-4-scout', 'llama4'],
  ['meta-llama/llama-guard-4-12b', 'llama4'],
  ['llama-405b', 'llama3'],
  ['meta-llama/llama-2-70b-chat', 'generic'],
  ['codellama-34b', 'generic'],
  ['ollama/llama3.2', 'llama3'],
  ['ollama/qwen3:8b', 'qwen'],
  ['mistralai/mistral-nemo', 'mistral'],
  ['mistralai/mistral-small-2603', 'mistral-small'],
  ['magistral-small-latest', 'mistral-small'],
  ['mistralai/mixtral-8x22b-instruct', 'mistral-spm'],
  ['mistralai/mistral-large', 'mistral-spm'],
  ['mistral-large-latest', 'mistral'],
  ['mistral-small-2409', 'mistral-spm'],
  ['mistral-small-2501', 'mistral-small'],
  ['mistralai/mistral-large-2512', 'mistral'],
  ['qwen/qwen-2.5-72b-instruct', 'qwen'],
  ['qwen/qwen3-32b', 'qwen'],
  ['qwen/qwen3.5-27b', 'qwen-3.5'],
  ['deepseek/deepseek-chat-v3.1', 'deepseek'],
  ['deepseek-ai/deepseek-v2.5', 'generic'],
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

test('only models that Google counts with the vocabulary of Gemma 3 have it as their own', () => {
  expect(encodingsOf('gemini')).toContain('gemma3')
  expect(encodingsOf('gemini-3.1')).not.toContain('gemma3')
})
