import { percentDecoded } from '../rpc/percent-decoded.ts'
import type { RouteConfig, RoutesConfig } from './routes-config.ts'

export type PricedRoute = RouteConfig & { readonly pattern: string }

/** Finds the priced route of a request, whose path has one of the forms; undefined for what is free. */
export type FindRoute = (method: string, paths: readonly string[]) => PricedRoute | undefined

/**
 * Reads routes as x402-express writes them: `GET /weather/*` or `/weather` for every method, `*` for
 * any text, `[id]` for one segment. The longest pattern that matches wins.
 */
export function createRouteTable(routes: RoutesConfig): FindRoute {
  const table = Object.entries(routes).map(([pattern, route]) => compile(pattern, route))
  return function findRoute(method, paths) {
    const spellings = paths.flatMap(spellingsOf)
    // Express runs a GET handler for HEAD too.
    const served = method === 'HEAD' ? 'GET' : method
    const matches = table.filter(
      (row) =>
        (row.method === '*' || row.method === served) &&
        spellings.some((spelling) => row.path.test(spelling)),
    )
    return matches.sort((a, b) => b.path.source.length - a.path.source.length)[0]?.route
  }
}

function compile(pattern: string, given: RoutesConfig[string]) {
  const [first = '', second] = pattern.trim().split(/\s+/)
  const path = second ?? first
  if (!path.startsWith('/') && path !== '*') throw new RouteError(pattern)
  const source = path
    .split(/(\*|\[[^\]]+\])/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith('[') ? '[^/]+' : part.replace(/[.+?^${}()|\\/[\]]/g, '\\$&')
    })
    .join('')
  const config = isRouteConfig(given) ? given : { price: given, network: 'base-sepolia' as const }
  return {
    method: second === undefined ? '*' : first.toUpperCase(),
    path: new RegExp(`^${source}$`, 'is'),
    route: { ...config, pattern },
  }
}

function isRouteConfig(value: RoutesConfig[string]): value is RouteConfig {
  return typeof value === 'object' && 'price' in value
}

/**
 * A path as it was sent, in which `%2F` is part of a segment, and in one spelling for everything that
 * a router may treat as the same path: a route is free only if it has no price in either.
 */
function spellingsOf(path: string): readonly string[] {
  const decoded = percentDecoded(path).replaceAll('\\', '/').replace(/\/+/g, '/')
  return [path, decoded].map((spelling) => spelling.replace(/(.)\/$/, '$1'))
}

/** A route that cannot be read. */
export class RouteError extends Error {
  override readonly name = 'RouteError'
  readonly code = 'invalid_route'
  constructor(pattern: string) {
    super(`${JSON.stringify(pattern)} is not a valid route: write "/path" or "GET /path"`)
  }
}
