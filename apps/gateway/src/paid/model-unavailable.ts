import type { RouteError } from './paid-endpoint.ts'

/** No provider can serve a model at the moment; said before any money moves. */
export function modelUnavailable(model: string): RouteError {
  return {
    status: 503,
    code: 'model_unavailable',
    message: `No provider can serve ${model} just now. No money moved. Repeat the request later.`,
    headers: { 'Retry-After': '10' },
  }
}
