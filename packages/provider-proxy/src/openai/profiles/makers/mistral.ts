import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.mistral.ai/api: usage always comes; unknown fields are rejected; it bills the full
 * response after a disconnect. https://docs.mistral.ai/studio-api/conversations/reasoning: two
 * efforts. Between the result of a tool and a message of the user it requires an answer, and for an
 * answer to continue a mark: https://github.com/mistralai/mistral-common/issues/169. Instructions
 * stand at the beginning or after a message of the user.
 */
export const mistralProfile: ProviderProfile = {
  ...commonProfile,
  name: 'mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  usageFlag: false,
  seedField: 'random_seed',
  onClientGone: 'drain',
  unsupported: ['logit_bias', 'logprobs', 'top_logprobs', ...openSampling],
  efforts: ['none', 'high'],
  messages: { ...commonProfile.messages, callIds: 'nine characters', turns: 'alternate' },
  messageNames: 'unsupported',
}
