import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.z.ai/api-reference/llm/chat-completion: `tool_choice` is `auto`, JSON mode has no schema. */
export const zAiProfile: ProviderProfile = {
  ...commonProfile,
  name: 'zai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  schemas: 'as text',
  unsupported: [
    'n',
    'seed',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'frequency_penalty',
    'presence_penalty',
    'tool_choice',
    'parallel_tool_calls',
    'reasoning_effort',
    ...openSampling,
  ],
  messageNames: 'unsupported',
}
