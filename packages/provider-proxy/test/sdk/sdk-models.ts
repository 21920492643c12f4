import { createAnthropic } from '@ai-sdk/anthropic'
import { createDeepSeek } from '@ai-sdk/deepseek'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createGroq } from '@ai-sdk/groq'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import {
  anthropicLimits,
  type ConnectedChatProvider,
  createAnthropicProvider,
  createGeminiProvider,
  createOpenAiCompatibleProvider,
  deepSeekProfile,
  geminiLimits,
  groqProfile,
  mistralProfile,
  openAiProfile,
  openRouterProfile,
  type ProviderProfile,
  type RequestLimits,
  togetherProfile,
} from '../../src/index.ts'

/** Where both sides of a comparison send their requests. */
type Connection = { readonly baseUrl: string; readonly apiKey: string }

/** A wire as the vendor's own package for the AI SDK writes it, and as we do. */
export type ComparedWire = {
  readonly name: string
  readonly model: string
  readonly limits: RequestLimits
  readonly sdk: (connection: Connection) => LanguageModelV4
  readonly provider: (connection: Connection) => ConnectedChatProvider
}

function like(profile: ProviderProfile): Pick<ComparedWire, 'name' | 'limits' | 'provider'> {
  return {
    name: profile.name,
    limits: profile,
    provider: (connection) => createOpenAiCompatibleProvider({ profile, ...connection }),
  }
}

export const comparedWires: readonly ComparedWire[] = [
  {
    ...like(openAiProfile),
    model: 'gpt-4.1',
    sdk: ({ baseUrl: baseURL, apiKey }) => createOpenAI({ baseURL, apiKey }).chat('gpt-4.1'),
  },
  {
    name: 'anthropic',
    limits: anthropicLimits,
    model: 'claude-sonnet-4-6',
    provider: createAnthropicProvider,
    sdk: ({ baseUrl: baseURL, apiKey }) =>
      createAnthropic({ baseURL, apiKey })('claude-sonnet-4-6'),
  },
  {
    name: 'gemini',
    limits: geminiLimits,
    model: 'gemini-3-pro-preview',
    provider: createGeminiProvider,
    sdk: ({ baseUrl: baseURL, apiKey }) =>
      createGoogleGenerativeAI({ baseURL, apiKey })('gemini-3-pro-preview'),
  },
  {
    ...like(mistralProfile),
    model: 'mistral-small-latest',
    sdk: ({ baseUrl: baseURL, apiKey }) =>
      createMistral({ baseURL, apiKey })('mistral-small-latest'),
  },
  {
    ...like(deepSeekProfile),
    model: 'deepseek-chat',
    sdk: ({ baseUrl: baseURL, apiKey }) => createDeepSeek({ baseURL, apiKey })('deepseek-chat'),
  },
  {
    ...like(groqProfile),
    model: 'openai/gpt-oss-120b',
    sdk: ({ baseUrl: baseURL, apiKey }) => createGroq({ baseURL, apiKey })('openai/gpt-oss-120b'),
  },
  {
    ...like(openRouterProfile),
    model: 'z-ai/glm-5',
    sdk: ({ baseUrl: baseURL, apiKey }) => createOpenRouter({ baseURL, apiKey }).chat('z-ai/glm-5'),
  },
  {
    ...like(togetherProfile),
    model: 'zai-org/GLM-5',
    sdk: ({ baseUrl: baseURL, apiKey }) =>
      createOpenAICompatible({
        name: 'together',
        baseURL,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      }).chatModel('zai-org/GLM-5'),
  },
]
