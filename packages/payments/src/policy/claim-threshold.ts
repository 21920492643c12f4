import { atomicUsdc, type Usdc } from '@farebox/money'
import type { ChannelPolicy } from './channel-policy.ts'

/**
 * A channel with more to claim than this is claimed. Above a quarter of the limit of all channels it falls
 * from `minClaim` to nothing at the limit: no number of small channels keeps the others from selling, and
 * at half of the limit, where payers get what was claimed from them, their charges have been claimed.
 * `used` is what of the limit is charged or in flight.
 */
export function claimThreshold(
  {
    maxUnclaimedTotal: limit,
    claimAbove,
    minClaim,
  }: Pick<ChannelPolicy, 'maxUnclaimedTotal' | 'claimAbove' | 'minClaim'>,
  used: bigint,
): Usdc {
  if (4n * used <= limit) return claimAbove
  const left = used < limit ? limit - used : 0n
  return atomicUsdc((minClaim * 4n * left) / (limit * 3n))
}
