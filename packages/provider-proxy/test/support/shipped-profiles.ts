import * as providers from '../../src/index.ts'

/** Every profile that the package exports. */
export function shippedProfiles(): readonly providers.ProviderProfile[] {
  return Object.entries(providers).flatMap(([name, value]) =>
    name.endsWith('Profile') && isProfile(value) ? [value] : [],
  )
}

function isProfile(value: unknown): value is providers.ProviderProfile {
  return typeof value === 'object' && value !== null && 'capField' in value && 'name' in value
}
