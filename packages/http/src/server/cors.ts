import type { RequestHandler } from 'express'

const headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'payment-required, payment-response, x-payment-response, x-payment-id, x-should-retry, x-free-quota-remaining, x-request-id, retry-after, ratelimit, ratelimit-policy',
} as const

/** The payment headers, and a response header that stock clients send in requests by mistake. */
const preflightHeaders = {
  ...headers,
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, OPTIONS',
  'Access-Control-Allow-Headers':
    'payment-signature, x-payment, x-replay-secret, x-free-quota, access-control-expose-headers, authorization, content-type, accept, x-requested-with, x-stainless-arch, x-stainless-lang, x-stainless-os, x-stainless-package-version, x-stainless-retry-count, x-stainless-runtime, x-stainless-runtime-version, x-stainless-timeout',
  'Access-Control-Max-Age': '86400',
} as const

/** Open to every origin: there are no cookies and no sessions to protect. */
export const cors: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS') {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    return next()
  }
  const requested = request.get('access-control-request-headers')
  response.status(204).set(preflightHeaders)
  if (requested !== undefined) response.set('Access-Control-Allow-Headers', requested)
  response.vary('Access-Control-Request-Headers').end()
}
