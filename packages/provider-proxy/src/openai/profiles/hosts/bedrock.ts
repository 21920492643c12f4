import { openSampling } from '../../../provider/open-sampling.ts'
import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html: it bills on after a disconnect. */
export const bedrockProfile: ProviderProfile = {
  ...commonProfile,
  name: 'bedrock',
  capField: 'max_completion_tokens',
  onClientGone: 'drain',
  reasoning: 'hidden',
  unsupported: ['n', 'logit_bias', 'logprobs', 'top_logprobs', ...openSampling],
  remoteImages: 'unsupported',
}
