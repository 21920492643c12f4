import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/**
 * https://docs.sambanova.ai/docs/en/features/openai-compatibility: it ignores `presence_penalty`,
 * `frequency_penalty` and `logit_bias`, and rejects `n` with tools. Nothing confirms the other
 * fields in `unsupported`, nor that it stops billing after a disconnect.
 */
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
    'verbosity',
    'min_p',
    'repetition_penalty',
  ],
  messageNames: 'unsupported',
}
