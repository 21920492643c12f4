import { openSampling } from '../../../provider/open-sampling.ts'
import { reasoningFormats } from '../../../reasoning/reasoning-detail.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://platform.moonshot.ai/docs: usage may lie in `choices[0].usage`. */
export const moonshotProfile: ProviderProfile = {
  ...commonProfile,
  name: 'moonshot',
  baseUrl: 'https://api.moonshot.ai/v1',
  reasoningFormat: reasoningFormats.moonshot,
  messages: { ...commonProfile.messages, reasoning: 'text with tools' },
  unsupported: [
    'seed',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'parallel_tool_calls',
    'reasoning_effort',
    ...openSampling,
  ],
}
