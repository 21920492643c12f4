import type { Paywall } from '@farebox/payments'
import type { Config } from '../settings.ts'

/** What the health states about the chain that the gateway sells on. */
export function networkHealth(
  config: Pick<Config, 'NETWORK'> & Partial<Pick<Config, 'CDP_API_KEY_ID'>>,
  { network }: Pick<Paywall, 'network'>,
) {
  return {
    network: network.caip2,
    mainnet: config.NETWORK === 'base',
    cdp: config.CDP_API_KEY_ID === undefined ? 'not configured' : 'configured',
  }
}
