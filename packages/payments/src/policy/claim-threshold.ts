import { atomicUsdc, type Usdc } from '@farebox/money'
import type { ChannelPolicy } from './channel-policy.ts'

/**
 * A channel with more to claim than this is claimed. Above half of the limit of all channels it falls from
 * `leastClaim` to nothing at the limit, so that no number of small channels keeps the others from selling.
 * `used` is what of the limit is charged or in flight.
 */
export function claimThreshold(
  {
    mostUnclaimedInAll: limit,
    claimAbove,
    leastClaim,
  }: Pick<ChannelPolicy, 'mostUnclaimedInAll' | 'claimAbove' | 'leastClaim'>,
  used: bigint,
): Usdc {
  if (2n * used <= limit) return claimAbove
  const left = used < limit ? limit - used : 0n
  return atomicUsdc((leastClaim * 2n * left) / limit)
}
