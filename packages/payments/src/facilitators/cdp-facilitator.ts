import type { Facilitator } from '../settlement/facilitator.ts'
import { type CdpCredentials, createCdpToken } from './cdp-token.ts'
import { createRemoteFacilitator, type RemoteFacilitatorOptions } from './remote-facilitator.ts'

export type CdpFacilitatorOptions = CdpCredentials &
  Pick<RemoteFacilitatorOptions, 'chain' | 'clock' | 'timeoutMs'> & {
    /** Another address than Coinbase's own, for tests. */
    readonly url?: string
  }

const cdpUrl = 'https://api.cdp.coinbase.com/platform/v2/x402'

/**
 * Settles through Coinbase's facilitator. It refuses payments below 1,000 atomic units and payloads
 * with unknown keys; ours have none, since a payment is written anew when it is decoded.
 *
 * @throws {CdpKeyError} when the secret is no API key.
 */
export function createCdpFacilitator(options: CdpFacilitatorOptions): Facilitator {
  const { apiKeyId, apiKeySecret, url = cdpUrl, clock = Date.now, ...rest } = options
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
