import { facilitatorEndpoint } from '@farebox/payments/chain'
import type { DependencyCheck } from './dependency-monitor.ts'

const timeoutMs = 5_000

/**
 * Asks a remote facilitator which payments it supports. Any response except a server error shows
 * that it is up: some require authorization even for this.
 */
export async function checkFacilitator(base: string): Promise<DependencyCheck> {
  const { url, headers } = facilitatorEndpoint(base, 'supported')
  const { host } = url
  try {
    const response = await fetch(url, {
      headers,
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (response.status < 500) return { status: 'ok' }
    return { status: 'unavailable', reason: `${host} responds with HTTP ${response.status}` }
  } catch {
    return { status: 'unavailable', reason: `${host} does not respond` }
  }
}
