import type { Catalog } from '@farebox/catalogs'
import type { HealthSources } from '../observe/health-monitor.ts'
import type { ProviderRoutes } from './provider-routes.ts'

/** The state of the providers, and how many models of the catalog none of them can serve now. */
export type ProviderHealth = Pick<HealthSources, 'providers' | 'unavailableModels'>

export function providerHealthOf(
  routes: Pick<ProviderRoutes, 'states' | 'isUnavailable'>,
  catalog: () => Catalog,
): ProviderHealth {
  return {
    providers: routes.states,
    unavailableModels: () => {
      const { chat, images } = catalog()
      return [...chat, ...images].filter(routes.isUnavailable).length
    },
  }
}
