import { privateKeyToAccount } from 'viem/accounts'
import type { ChannelGateway } from '../../../../scripts/testing/channel-gateway.ts'
import {
  createFareboxClient,
  type FareboxClient,
  type FareboxClientOptions,
} from '../../src/index.ts'

export const hello = { messages: [{ role: 'user', content: 'Hello' }] } as const
export const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)

/** A client that opens a channel with its first call. */
export function channelClient(
  { url }: Pick<ChannelGateway, 'url'>,
  options: Partial<FareboxClientOptions>,
): FareboxClient {
  return createFareboxClient({ baseUrl: url, account, channel: { after: 0 }, ...options })
}

/** What each payment of a gateway was, and how it was answered. */
export function paymentsTo({ paid }: Pick<ChannelGateway, 'paid'>): readonly string[] {
  return paid.map(({ type, status }) => `${type ?? 'exact'} ${status}`)
}
