import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import { hasProviders } from '../providers/compose-providers.ts'
import type { Config } from '../settings.ts'

/** Starts the offline provider if it is configured, and on a devnet without any other provider. */
export async function openSandbox(config: Config): Promise<Sandbox | undefined> {
  return isWanted(config) ? startSandbox() : undefined
}

function isWanted(config: Config): boolean {
  if (config.SANDBOX_PROVIDER !== undefined) return config.SANDBOX_PROVIDER === 'on'
  return config.NETWORK === 'devnet' && !hasProviders(config)
}
