import type { DependencyCheck } from './dependency-monitor.ts'

const timeoutMs = 5_000

/**
 * Asks a remote facilitator which payments it supports. A response of any kind but a server error shows
 * that it is there: some require authorization for this too.
 */
export async function checkFacilitator(url: string): Promise<DependencyCheck> {
  const host = new URL(url).host
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/supported`, {
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    if (response.status < 500) return { status: 'ok' }
    return { status: 'unavailable', reason: `${host} responds with HTTP ${response.status}` }
  } catch {
    return { status: 'unavailable', reason: `${host} does not respond` }
  }
}
