import { openSampling } from '../../../provider/open-sampling.ts'
import { type ProviderProfile, strictProfile } from '../../provider-profile.ts'

/**
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html:
 * `/openai/v1` of a region's runtime address, an API key as a bearer token, and developer messages.
 * Nothing confirms the fields in `unsupported`, image addresses, or that it stops billing after a
 * disconnect.
 */
export const bedrockProfile: ProviderProfile = {
  ...strictProfile,
  name: 'bedrock',
  capField: 'max_completion_tokens',
  onClientGone: 'drain',
  reasoning: 'hidden',
  unsupported: ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'verbosity', ...openSampling],
}
