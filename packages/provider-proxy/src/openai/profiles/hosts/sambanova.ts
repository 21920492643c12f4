import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.sambanova.ai/docs/en/features/openai-compatibility: it bills on after a disconnect. */
export const sambaNovaProfile: ProviderProfile = {
  ...commonProfile,
  name: 'sambanova',
  baseUrl: 'https://api.sambanova.ai/v1',
  onClientGone: 'drain',
  unsupported: [
    'n',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'frequency_penalty',
    'presence_penalty',
    'seed',
    'min_p',
    'repetition_penalty',
  ],
}
