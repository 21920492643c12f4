import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://inference-docs.cerebras.ai: timings in time_info, in seconds. */
export const cerebrasProfile: ProviderProfile = {
  ...commonProfile,
  name: 'cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  capField: 'max_completion_tokens',
  reasoningFields: ['reasoning', 'reasoning_content'],
  timings: 'cerebras',
  efforts: ['none', 'low', 'medium', 'high'],
  unsupported: ['n', 'frequency_penalty', 'presence_penalty', 'logit_bias', ...openSampling],
}
