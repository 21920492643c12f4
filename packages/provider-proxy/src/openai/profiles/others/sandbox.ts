import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** The sandbox of `@farebox/devnet/sandbox`. */
export const sandboxProfile: ProviderProfile = {
  ...commonProfile,
  name: 'sandbox',
  developerRole: 'kept',
  maxStops: Infinity,
  efforts: [...commonProfile.efforts, 'max'],
  messages: { ...commonProfile.messages, reasoning: 'details' },
  reasoningBudgets: 'supported',
}
