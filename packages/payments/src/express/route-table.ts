import { METHODS } from 'node:http'
import { posix } from 'node:path'
import { percentDecoded } from '../rpc/percent-decoded.ts'
import { type RouteConfig, type RoutesConfig, routeConfigOf } from './routes-config.ts'

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
  const [first = '', second, ...rest] = pattern.trim().split(/\s+/)
  const path = second ?? first
  const method = second === undefined ? '*' : first.toUpperCase()
  const problem = rest.length > 0 ? form : (problemOfMethod(method) ?? problemOfPath(path))
  if (problem !== undefined) throw new RouteError(pattern, problem)
  const source = path
    .split(/(\*|\[[^\]]+\])/)
    .map((part) => {
      if (part === '*') return '.*'
      return part.startsWith('[') ? '[^/]+' : part.replace(/[.+?^${}()|\\/[\]]/g, '\\$&')
    })
    .join('')
  return {
    method,
    path: new RegExp(`^${source}$`, 'is'),
    route: { ...routeConfigOf(given), pattern },
  }
}

const form = 'write "/path" or "GET /path"'

// A route that matches nothing would be free.
function problemOfMethod(method: string): string | undefined {
  if (method === '*' || METHODS.includes(method)) return undefined
  return `${method} is not a method of HTTP: write a route for each method, or the path alone for all`
}

function problemOfPath(path: string): string | undefined {
  if (!path.startsWith('/') && path !== '*') return form
  if (/[?#]/.test(path)) return 'leave out the query: a route is sold with any query'
  return /\/:|\/\*\w|[{}]/.test(path)
    ? 'write [name] for one segment and * alone for any text'
    : undefined
}

/**
 * A path in the three spellings that a handler may see: as it was sent, where `%2F` is part of a
 * segment; decoded, as a router may match it; and with `..` resolved, as a file server does. A route is
 * free only if it has no price in any of them.
 */
function spellingsOf(path: string): readonly string[] {
  const decoded = decodedPath(path).replaceAll('\\', '/').replace(/\/+/g, '/')
  return [path, decoded, posix.normalize(decoded)].map((spelling) =>
    spelling.replace(/(.)\/$/, '$1'),
  )
}

/** One invalid escape must not hide the others. */
function decodedPath(path: string): string {
  const decoded = percentDecoded(path)
  return decoded === path
    ? path.replace(/%([2-7][0-9a-f])/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : decoded
}

/** A route that cannot be read. */
export class RouteError extends Error {
  override readonly name = 'RouteError'
  readonly code = 'invalid_route'
  constructor(pattern: string, problem: string) {
    super(`${JSON.stringify(pattern)} is not a valid route: ${problem}`)
  }
}
