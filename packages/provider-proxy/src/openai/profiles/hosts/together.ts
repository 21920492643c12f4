import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.together.ai/reference/chat-completions */
export const togetherProfile: ProviderProfile = {
  ...commonProfile,
  name: 'together',
  baseUrl: 'https://api.together.ai/v1',
}
