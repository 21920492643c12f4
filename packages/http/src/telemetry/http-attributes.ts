import type { Attributes } from '@opentelemetry/api'

const methods = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
])

/** What spans and metrics record about an ended request. */
export type HttpFacts = {
  readonly method: string
  /** The path of the route with its parameters; undefined if no route matched. */
  readonly route: string | undefined
  readonly status: number
}

/** A request's attributes for spans and metrics, by OpenTelemetry's HTTP conventions. */
export function httpAttributes({ method, route, status }: HttpFacts, scheme: string): Attributes {
  return {
    'http.request.method': methods.has(method) ? method : '_OTHER',
    'http.response.status_code': status,
    'url.scheme': scheme,
    ...(route !== undefined && { 'http.route': route }),
    ...(status >= 500 && { 'error.type': String(status) }),
  }
}
