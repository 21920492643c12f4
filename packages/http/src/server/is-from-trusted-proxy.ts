import type { Request } from 'express'

/** Whether the connection comes from an address of `TRUST_PROXY`. */
export function isFromTrustedProxy({ app, socket }: Request): boolean {
  const trusts = app.get('trust proxy fn') as (address: string, hops: number) => boolean
  return trusts(socket.remoteAddress ?? '', 0)
}
