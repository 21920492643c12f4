import type { Logger } from '@farebox/http/log'
import type { HealthChange } from '@farebox/provider-proxy'
import type { Metrics } from './metrics.ts'

/** Notices changes of the providers. */
export type ProviderObserver = {
  onKeyRejected(provider: string): void
  onChange(provider: string, change: HealthChange): void
}

/** Logs changes of the providers, and counts rejected keys. */
export function providerLog(logger: Logger, metrics: Metrics): ProviderObserver {
  return {
    onKeyRejected: (provider) => {
      logger.error({ event: 'provider_key_rejected', provider })
      metrics.providerKeysRejected.inc({ provider })
    },
    onChange: (provider, { state, ...change }) => {
      if (state === 'open') logger.warn({ event: 'provider_down', provider, ...change })
      else logger.info({ event: 'provider_up', provider, ...change })
    },
  }
}
