import { openSampling } from '../../../provider/open-sampling.ts'
import { type ProviderProfile, strictProfile } from '../../provider-profile.ts'

/**
 * https://platform.minimax.io/docs/api-reference/text-openai-api: `presence_penalty`,
 * `frequency_penalty` and `logit_bias` are ignored, `n` is 1.
 * https://platform.minimax.io/docs/api-reference/text-chat-openai: `max_completion_tokens` replaces
 * `max_tokens`. Nothing confirms the other fields in `unsupported`, image addresses, or that it
 * stops billing after a disconnect.
 */
export const miniMaxProfile: ProviderProfile = {
  ...strictProfile,
  name: 'minimax',
  baseUrl: 'https://api.minimax.io/v1',
  capField: 'max_completion_tokens',
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
    'verbosity',
    ...openSampling,
  ],
}
