import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://console.groq.com/docs/api-reference: timings in usage, in seconds; it bills on after a disconnect. */
export const groqProfile: ProviderProfile = {
  ...commonProfile,
  name: 'groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  capField: 'max_completion_tokens',
  reasoningFields: ['reasoning', 'reasoning_content'],
  timings: 'groq',
  onClientGone: 'drain',
  efforts: ['none', 'low', 'medium', 'high'],
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
