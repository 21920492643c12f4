import { createHash } from 'node:crypto'
import type { AdmissionRequest } from './payment-gate.ts'

/**
 * The digest of a request with its secret: with another secret, or without one, it is another
 * request.
 */
export function withReplaySecret(request: AdmissionRequest): AdmissionRequest {
  const secret = request.headers['x-replay-secret'] ?? ''
  if (secret === '') return request
  const hash = createHash('sha256').update(`${request.requestDigest}\n${secret}`)
  return { ...request, requestDigest: hash.digest('hex') }
}
