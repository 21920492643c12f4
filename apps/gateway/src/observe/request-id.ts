import { randomUUID } from 'node:crypto'
import { isFromTrustedProxy } from '@farebox/http'
import type { Request } from 'express'

/** UUIDs, ULIDs and hexadecimal ids, as proxies and tracers send them: no line breaks or spaces. */
const wellFormed = /^[A-Za-z0-9._-]{8,128}$/

/** The id that a trusted proxy gave the request in `X-Request-Id`, otherwise a new one. */
export function requestId(request: Request): string {
  const given = request.get('x-request-id') ?? ''
  return wellFormed.test(given) && isFromTrustedProxy(request) ? given : randomUUID()
}
