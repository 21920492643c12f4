import { atomicUsdc, type Usdc } from '@farebox/money'
import type { ChannelPolicy } from './channel-policy.ts'

/**
 * A channel with more to claim than this is claimed. `used` is what all channels have charged and in
 * flight. Once that is a quarter of their limit, the threshold falls from `minClaim` to zero at the limit:
 * no number of small channels keeps the others from selling, and their charges are claimed before the
 * limit of each payer depends on what was claimed.
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
