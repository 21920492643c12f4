import { facilitatorEndpoint } from '@farebox/payments/chain'

const timeoutMs = 5_000

/** What a facilitator responded; a server error means that it is down. */
export type FacilitatorAnswer =
  | { readonly status: 'responded'; readonly host: string; readonly response: Response }
  | { readonly status: 'unavailable'; readonly reason: string }

/** The headers that authorize a request. */
export type Authorize = (url: URL) => Readonly<Record<string, string>>

/** Asks a remote facilitator which payments it supports. Settlements follow no redirect, nor does this. */
export async function askFacilitator(
  base: string,
  authorize?: Authorize,
): Promise<FacilitatorAnswer> {
  const { url, headers } = facilitatorEndpoint(base, 'supported')
  const { host } = url
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, {
      headers: { ...headers, ...authorize?.(url) },
      signal,
      redirect: 'manual',
    })
    if (response.status < 500) return { status: 'responded', host, response }
    await response.body?.cancel()
    return { status: 'unavailable', reason: `${host} responds with HTTP ${response.status}` }
  } catch {
    return { status: 'unavailable', reason: `${host} does not respond` }
  }
}
