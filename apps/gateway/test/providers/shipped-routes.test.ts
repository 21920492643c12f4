import { chatRequestSchema } from '@farebox/api'
import { shippedCatalog } from '@farebox/catalogs'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { composeProviders } from '../../src/providers/compose-providers.ts'
import { requestRoutes } from '../../src/providers/request-routes.ts'

/** A value of each field that asks for something. */
const values: Readonly<Record<string, object>> = {
  temperature: { temperature: 0.5 },
  top_p: { top_p: 0.5 },
  stop: { stop: 'x' },
  seed: { seed: 1 },
  frequency_penalty: { frequency_penalty: 1 },
  presence_penalty: { presence_penalty: 1 },
  logit_bias: { logit_bias: { 1: 1 } },
  logprobs: { logprobs: true },
  top_logprobs: { logprobs: true, top_logprobs: 1 },
  response_format: {
    response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } },
  },
  tools: { tools: [{ type: 'function', function: { name: 'f' } }] },
  tool_choice: {
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
  },
  parallel_tool_calls: {
    tools: [{ type: 'function', function: { name: 'f' } }],
    parallel_tool_calls: false,
  },
  reasoning_effort: { reasoning_effort: 'low' },
  n: { n: 2 },
  verbosity: { verbosity: 'low' },
  top_k: { top_k: 5 },
  min_p: { min_p: 0.1 },
  repetition_penalty: { repetition_penalty: 1.1 },
}

/** Models whose only provider lacks a field that the family of the model has. */
const known = [
  'deepseek/deepseek-flash seed',
  // Its provider follows a JSON schema with gpt-oss alone.
  'groq/llama-3.1-8b-instant response_format',
  'groq/llama-3.3-70b-versatile response_format',
  'groq/qwen/qwen3.6-27b response_format',
  'groq/qwen/qwen3.8-27b response_format',
  // Its provider takes `none` alone.
  'groq/qwen/qwen3.6-27b reasoning_effort',
  'openai/gpt-3.5-turbo-0613 n',
  'openai/gpt-3.5-turbo-16k n',
  'openai/gpt-4o-mini-2024-07-18 n',
]

test('with every key set, each field of a shipped model has a route', async () => {
  const names = 'OPENROUTER OPENAI ANTHROPIC GEMINI XAI DEEPSEEK MISTRAL GROQ TOGETHER FIREWORKS'
  const keys = `${names} CEREBRAS MOONSHOT`.split(' ').map((name) => [`${name}_API_KEY`, 'k'])
  const parsed = readConfig(Object.fromEntries(keys))
  if (parsed.status === 'invalid') throw new Error(parsed.problems.join(' '))
  const providers = composeProviders(parsed.config, undefined)
  const missing = shippedCatalog(Date.now()).chat.flatMap((model) =>
    model.parameters.flatMap((name) => {
      const messages = [{ role: 'user', content: 'hi' }]
      const request = chatRequestSchema.parse({ messages, ...values[name] })
      const { routes } = requestRoutes(providers, model, request)
      return routes.length > 0 ? [] : [`${model.id} ${name}`]
    }),
  )
  await providers.close()
  expect(missing.toSorted()).toEqual(known.toSorted())
})
