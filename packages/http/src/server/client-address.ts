import { isIP, isIPv4 } from 'node:net'
import type { Request } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

/**
 * The key that a client's requests are counted under: its address as the trusted proxies report it,
 * IPv6 by /56. A port, a zone or brackets are dropped, and anything that is not an address counts as
 * the connection's own, so that no spelling gets its own budget.
 */
export function clientAddress(request: Request): string {
  const forwarded = canonicalAddress(request.ip ?? '')
  const address = forwarded ?? canonicalAddress(request.socket.remoteAddress ?? '')
  return address === undefined ? 'unknown' : ipKeyGenerator(address, 56)
}

function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const bare = text.trim().replace(/^"|"$/g, '')
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(bare)?.[1]
  const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare)?.[1]
  const address = (bracketed ?? withPort ?? bare).replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const canonical = mapped ?? address
  return isIP(canonical) === 0 ? undefined : canonical.toLowerCase()
}
