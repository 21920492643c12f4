import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.cohere.com/docs/compatibility-api: its lists of supported and unsupported
 * parameters, and the two efforts. Neither list has `tool_choice` or `logprobs`.
 */
export const cohereProfile: ProviderProfile = {
  ...commonProfile,
  name: 'cohere',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'tool_choice',
    'parallel_tool_calls',
    'verbosity',
    ...openSampling,
  ],
  efforts: ['none', 'high'],
  messageNames: 'unsupported',
  imageDetail: 'unsupported',
  strictTools: 'unsupported',
}
