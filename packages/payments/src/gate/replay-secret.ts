import { createHash } from 'node:crypto'
import type { AdmissionRequest } from './payment-gate.ts'

/** A request with a secret is another request than the same one without it, or with another. */
export function withReplaySecret(request: AdmissionRequest): AdmissionRequest {
  const secret = request.headers['x-replay-secret'] ?? ''
  if (secret === '') return request
  const hash = createHash('sha256').update(`${request.requestDigest}\n${secret}`)
  return { ...request, requestDigest: hash.digest('hex') }
}
