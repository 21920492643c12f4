import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://platform.minimax.io/docs/api-reference/text-openai-api: it bills on after a disconnect. */
export const miniMaxProfile: ProviderProfile = {
  ...commonProfile,
  name: 'minimax',
  baseUrl: 'https://api.minimax.io/v1',
  onClientGone: 'drain',
  unsupported: [
    'n',
    'seed',
    'stop',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'frequency_penalty',
    'presence_penalty',
    'response_format',
    'parallel_tool_calls',
    'reasoning_effort',
    ...openSampling,
  ],
  remoteImages: 'unsupported',
}
