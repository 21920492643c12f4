import type { ChatRequest, ProviderPreferences } from '@farebox/api'
import type { ChatModel } from '@farebox/catalogs'
import { unsupportedField } from '@farebox/provider-proxy'
import type { RequestRejection } from '@farebox/storefront'
import type { ChatRoute, ProviderRoutes } from './provider-routes.ts'
import { providerSlug } from './provider-slug.ts'

/** The routes of one request to one model, and the first field that no route supports. */
export type RequestRoutes = {
  /** In order; empty if no route supports the request. */
  readonly routes: readonly ChatRoute[]
  /** Set if the preferences leave no route. */
  readonly rejection?: RequestRejection
  /** Set if every remaining route lacks a field: the one that the first route lacks. */
  readonly unsupported?: string
}

/**
 * The routes that a request may use: those that its `provider` allows and that support its fields.
 */
export function requestRoutes(
  providers: Pick<ProviderRoutes, 'chatRoutes' | 'names'>,
  model: ChatModel,
  request: ChatRequest,
): RequestRoutes {
  const all = providers.chatRoutes(model)
  const { provider: preferences } = request
  const rejection = preferences && unknownProvider(preferences, providers.names)
  if (rejection !== undefined) return { routes: [], rejection }
  const wanted = preferences === undefined ? all : preferredRoutes(all, preferences)
  const [first] = wanted
  if (first === undefined) return { routes: [], rejection: noRouteLeft(model, all) }
  const lacking = wanted.map((route) =>
    unsupportedField(route.limits, request, route.upstreamModel),
  )
  const able = wanted.filter((_, index) => lacking[index] === null)
  const [lacked] = lacking
  if (able.length === 0 && typeof lacked === 'string') return { routes: [], unsupported: lacked }
  return {
    routes: preferences?.allow_fallbacks === false ? withoutOthers(able, preferences) : able,
  }
}

/** With an order, only its providers; otherwise the first route. */
function withoutOthers(
  routes: readonly ChatRoute[],
  { order = [] }: ProviderPreferences,
): readonly ChatRoute[] {
  return order.length > 0 ? routes : routes.slice(0, 1)
}

function preferredRoutes(
  routes: readonly ChatRoute[],
  { order = [], only = [], ignore = [], allow_fallbacks: others = true }: ProviderPreferences,
): readonly ChatRoute[] {
  const ordered = order.map(providerSlug)
  const kept = new Set(only.map(providerSlug))
  const dropped = new Set(ignore.map(providerSlug))
  const rank = ({ name }: ChatRoute): number => {
    const place = ordered.indexOf(name)
    return place === -1 ? ordered.length : place
  }
  return routes
    .filter(({ name }) => (kept.size === 0 || kept.has(name)) && !dropped.has(name))
    .filter((route) => others || ordered.length === 0 || rank(route) < ordered.length)
    .toSorted((one, other) => rank(one) - rank(other))
}

/** An unknown name is a mistake that would otherwise be ignored silently. */
function unknownProvider(
  preferences: ProviderPreferences,
  names: ProviderRoutes['names'],
): RequestRejection | undefined {
  for (const key of ['order', 'only', 'ignore'] as const) {
    for (const [index, name] of (preferences[key] ?? []).entries()) {
      if (names.known.has(providerSlug(name))) continue
      const param = `provider.${key}[${index}]`
      const message = `${param} ${JSON.stringify(name)} is not the name of a provider. Use names such as ${[...names.enabled].slice(0, 5).join(', ')}, or remove it.`
      return { code: 'unsupported_field', param, message }
    }
  }
  return undefined
}

function noRouteLeft({ id }: ChatModel, routes: readonly ChatRoute[]): RequestRejection {
  const offered = routes.map(({ name }) => name).join(', ')
  return {
    code: 'unsupported_field',
    param: 'provider',
    message: `provider leaves no route to ${id}. Allow one of its providers here: ${offered}.`,
  }
}
