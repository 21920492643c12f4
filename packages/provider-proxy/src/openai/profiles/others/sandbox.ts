import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** The sandbox of `@farebox/devnet/sandbox`. */
export const sandboxProfile: ProviderProfile = {
  ...commonProfile,
  name: 'sandbox',
  developerRole: 'kept',
  messages: { ...commonProfile.messages, reasoning: 'details' },
}
