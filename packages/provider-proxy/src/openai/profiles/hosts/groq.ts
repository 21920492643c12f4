import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://console.groq.com/docs/api-reference: timings in usage, in seconds; it bills the full
 * response after a disconnect. https://console.groq.com/docs/reasoning: Qwen 3.6 takes `none`
 * alone, and gpt-oss always reasons. https://console.groq.com/docs/structured-outputs and
 * https://github.com/vercel/ai/pull/16540: no response format together with tools or in a stream, and
 * no JSON schema for any other model.
 */
export const groqProfile: ProviderProfile = {
  ...commonProfile,
  name: 'groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  capField: 'max_completion_tokens',
  reasoningFields: ['reasoning', 'reasoning_content'],
  timings: 'groq',
  onClientGone: 'drain',
  efforts: ['none', 'low', 'medium', 'high'],
  modelEfforts: [
    { models: /^qwen\/qwen3(-|\.[0-6])/, efforts: ['none'] },
    { models: /^openai\/gpt-oss/, efforts: ['low', 'medium', 'high'] },
  ],
  formatsWithoutTools: /./,
  formatted: 'whole',
  schemaModels: /^openai\/gpt-oss/,
  // https://github.com/vercel/ai/issues/7303
  jsonWordNeeded: /^/,
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'frequency_penalty',
    'presence_penalty',
    ...openSampling,
  ],
  messageNames: 'unsupported',
}
