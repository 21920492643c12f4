import { hash } from 'node:crypto'

/**
 * SHA-256 of a validated request and the path that sells it, hexadecimal: what an authorisation
 * buys. Validation gives fields an order of its own, so spelling and spacing change nothing.
 */
export function requestDigest(path: string, request: Readonly<Record<string, unknown>>): string {
  return hash('sha256', `${path}\n${JSON.stringify(request)}`)
}
