import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.cohere.com/docs/compatibility-api: the list of parameters that it does not support. */
export const cohereProfile: ProviderProfile = {
  ...commonProfile,
  name: 'cohere',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  unsupported: ['n', 'logit_bias', 'top_logprobs', 'parallel_tool_calls', ...openSampling],
  efforts: ['none', 'high'],
  messageNames: 'unsupported',
}
