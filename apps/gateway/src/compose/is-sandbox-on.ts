import { hasProviders } from '../providers/compose-providers.ts'
import type { Config } from '../settings.ts'

/** Whether the offline provider runs: as configured, or on a devnet without any other provider. */
export function isSandboxOn(config: Config): boolean {
  if (config.SANDBOX_PROVIDER !== undefined) return config.SANDBOX_PROVIDER === 'on'
  return config.NETWORK === 'devnet' && !hasProviders(config)
}
