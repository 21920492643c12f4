import { maxReplaySecretLength } from '@farebox/api'
import type { Request } from 'express'
import type { EndpointError } from './paid-endpoint.ts'

/** What is wrong with the `X-Replay-Secret` of a request; undefined when it may be used. */
export function invalidReplaySecret(request: Pick<Request, 'get'>): EndpointError | undefined {
  const secret = request.get('x-replay-secret') ?? ''
  if (secret.length <= maxReplaySecretLength) return undefined
  return {
    status: 400,
    code: 'invalid_field',
    param: 'X-Replay-Secret',
    message: `X-Replay-Secret has ${secret.length} characters. Send at most ${maxReplaySecretLength}.`,
  }
}
