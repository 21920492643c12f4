import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.fireworks.ai/api-reference/post-chatcompletions */
export const fireworksProfile: ProviderProfile = {
  ...commonProfile,
  name: 'fireworks',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
}
