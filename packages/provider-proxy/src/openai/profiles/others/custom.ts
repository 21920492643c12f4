import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** Any other OpenAI-compatible server, such as llama.cpp. */
export const customProfile: ProviderProfile = {
  ...commonProfile,
  name: 'custom',
  usage: { ...commonProfile.usage, cost: 'itemized' },
  reasoning: 'hidden',
  imageTypes: /^/,
}
