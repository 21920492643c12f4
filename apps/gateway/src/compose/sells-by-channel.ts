import { paymentNetwork } from '@farebox/payments'
import { readChannelIdentity } from '@farebox/payments/chain'
import type { ChainAccess } from '../chain/chain-access.ts'
import type { Config } from '../settings.ts'

const timeoutMs = 2_000

/**
 * Whether calls are sold from payment channels: as set by `CHANNELS`, or else where the chain has the
 * contracts and this process has a relayer to claim with. A node that does not respond at the start counts
 * as a chain without them.
 */
export async function sellsByChannel(
  config: Pick<Config, 'CHANNELS' | 'CHANNEL_CODE_HASH' | 'NETWORK'>,
  { rpcUrl, relayerKey }: Pick<ChainAccess, 'rpcUrl' | 'relayerKey'>,
): Promise<boolean> {
  const { CHANNELS, CHANNEL_CODE_HASH: codeHash } = config
  if (CHANNELS !== undefined) return CHANNELS === 'on'
  if (relayerKey === undefined) return false
  const network = paymentNetwork(config.NETWORK)
  const asked = { rpcUrl, network, timeoutMs, codeHash }
  const identity = await readChannelIdentity(asked).catch(() => undefined)
  return identity?.status === 'matches'
}
