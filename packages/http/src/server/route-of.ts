import type { Request } from 'express'

/** The path of the route, such as `/v1/payments/:id`; undefined if none matched. */
export function routeOf(request: Request): string | undefined {
  const { route } = request as { readonly route?: { readonly path?: unknown } }
  return typeof route?.path === 'string' ? request.baseUrl + route.path : undefined
}
