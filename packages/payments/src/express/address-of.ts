import type { Request } from 'express'
import type { RequestAddress } from '../request/paid-request.ts'

/** The address that a request was sent to. */
export function addressOf({
  protocol,
  host,
  originalUrl,
}: Pick<Request, 'protocol' | 'host' | 'originalUrl'>): RequestAddress {
  return { origin: `${protocol}://${host}`, path: originalUrl }
}
