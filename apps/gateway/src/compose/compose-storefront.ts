import { countedMessages } from '@farebox/provider-proxy'
import { createStorefront, type Provision, type Storefront } from '@farebox/storefront'
import type { TokenCounter } from '@farebox/tokenizer/node'
import type { ProviderRoutes } from '../providers/provider-routes.ts'
import { requestRoutes } from '../providers/request-routes.ts'
import type { Config } from '../settings.ts'

export type StorefrontParts = {
  readonly config: Config
  readonly catalog: Storefront['catalog']
  readonly providers: ProviderRoutes
  readonly counter: TokenCounter
  readonly now: () => number
}

/** How long a 402 can be paid, and how long the prices of its quote are honored. */
const quoteLifetimeMs = 360_000

/**
 * Composes what is for sale: the catalog, the terms, and what the enabled providers serve.
 *
 * @throws {DefaultModelError} `default_model_not_sold` when no enabled provider serves a default
 * model.
 */
export function composeStorefront(parts: StorefrontParts): Storefront {
  const { config, catalog, providers, counter, now } = parts
  return createStorefront({
    settings: config,
    catalog,
    counter,
    provision: provisionOf(providers),
    quoteLifetimeMs,
    now,
  })
}

function provisionOf(providers: ProviderRoutes): Provision {
  return {
    isSold: (model) =>
      'contextLength' in model
        ? providers.chatRoutes(model).length > 0
        : providers.imageRoute(model) !== undefined,
    unsupportedField: (model, request) => requestRoutes(providers, model, request).unsupported,
    rejectedPreference: (model, request) => requestRoutes(providers, model, request).rejection,
    providersOf: (model, request) =>
      requestRoutes(providers, model, request).routes.map(({ name }) => name),
    countedMessages: (model, request) => {
      const { routes } = requestRoutes(providers, model, request)
      return countedMessages(
        request,
        routes.map(({ limits }) => limits),
      )
    },
    unsupportedImageField: (model, request) =>
      providers.imageRoute(model)?.unsupported.find((field) => request[field] !== undefined),
  }
}
