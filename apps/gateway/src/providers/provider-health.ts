import type { Catalog } from '@farebox/catalogs'
import type { HealthSources } from '../observe/health-monitor.ts'
import type { ProviderRoutes } from './provider-routes.ts'

/** The state of the providers, and what of the catalog they can serve now. */
export type ProviderHealth = Pick<HealthSources, 'providers' | 'unavailableModels' | 'soldModels'>

export function providerHealthOf(
  routes: Omit<ProviderRoutes, 'names' | 'close'>,
  catalog: () => Catalog,
): ProviderHealth {
  return {
    providers: routes.states,
    unavailableModels: () => {
      const { chat, images } = catalog()
      return [...chat, ...images].filter(routes.isUnavailable).length
    },
    soldModels: () => {
      const { chat, images } = catalog()
      return [
        ...chat.filter((model) => routes.chatRoutes(model).length > 0),
        ...images.filter((model) => routes.imageRoute(model) !== undefined),
      ].map(({ id }) => id)
    },
  }
}
