import type { EndpointError } from './paid-endpoint.ts'

/** No provider can serve the model at the moment; sent before any money moves. */
export function modelUnavailable(model: string): EndpointError {
  return {
    status: 503,
    code: 'model_unavailable',
    message: `No provider can serve ${model} right now. No money moved. Repeat the request later.`,
    headers: { 'Retry-After': '10' },
  }
}
