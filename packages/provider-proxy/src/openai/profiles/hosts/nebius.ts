import { commonProfile, type ProviderProfile } from '../../provider-profile.ts'

/** https://docs.tokenfactory.nebius.com: it bills on after a disconnect. */
export const nebiusProfile: ProviderProfile = {
  ...commonProfile,
  name: 'nebius',
  baseUrl: 'https://api.tokenfactory.nebius.com/v1',
  onClientGone: 'drain',
}
