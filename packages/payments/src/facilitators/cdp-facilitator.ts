import type { Facilitator } from '../settlement/facilitator.ts'
import { type CdpCredentials, createCdpToken } from './cdp-token.ts'
import { createRemoteFacilitator, type RemoteFacilitatorOptions } from './remote-facilitator.ts'

export type CdpFacilitatorOptions = CdpCredentials &
  Pick<RemoteFacilitatorOptions, 'chain' | 'clock' | 'timeoutMs'> & {
    /** A URL other than Coinbase's own, for tests. */
    readonly url?: string
  }

/** Coinbase's facilitator. */
export const cdpFacilitatorUrl = 'https://api.cdp.coinbase.com/platform/v2/x402'

/**
 * Settles through Coinbase's facilitator. It rejects payments below 1,000 atomic units and payloads
 * with unknown keys; ours have none, since decoding a payment rebuilds it.
 *
 * @throws {CdpKeyError} when the secret is not an API key.
 */
export function createCdpFacilitator(options: CdpFacilitatorOptions): Facilitator {
  const { apiKeyId, apiKeySecret, url = cdpFacilitatorUrl, clock = Date.now, ...rest } = options
  const cdpToken = createCdpToken({ apiKeyId, apiKeySecret })
  return createRemoteFacilitator({
    ...rest,
    url,
    clock,
    name: 'cdp',
    async authorize(request) {
      const token = cdpToken({ ...request, now: Math.floor(clock() / 1000) })
      return { authorization: `Bearer ${token}` }
    },
  })
}
