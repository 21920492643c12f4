import type { Attributes } from '@opentelemetry/api'
import type { EndedRequest } from '../observe/request-trace.ts'

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

/** A request as spans and metrics have it, with few different values: OpenTelemetry's HTTP conventions. */
export function httpAttributes(
  { method, route, status }: EndedRequest,
  scheme: string,
): Attributes {
  return {
    'http.request.method': methods.has(method) ? method : '_OTHER',
    'http.response.status_code': status,
    'url.scheme': scheme,
    ...(route !== undefined && { 'http.route': route }),
    ...(status >= 500 && { 'error.type': String(status) }),
  }
}
