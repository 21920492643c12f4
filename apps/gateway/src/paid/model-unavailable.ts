import type { EndpointError } from './paid-endpoint.ts'

/** No provider can serve the model at the moment; the request has moved no money. */
export function modelUnavailable(model: string): EndpointError {
  return {
    status: 503,
    code: 'model_unavailable',
    message: `No provider can serve ${model} right now. This request moved no money. Repeat it later.`,
    headers: { 'Retry-After': '10' },
  }
}
