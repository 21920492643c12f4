import { atomicUsdc, greatest, least, type Usdc } from '@farebox/money'
import type { ChannelRecord } from './channel-record.ts'

/** The most that may be charged and in flight beyond what is claimed, with a call that is to be held. */
export type CallLimits = {
  readonly ofChannel: Usdc
  /**
   * The limit of all channels together; null for none. Calls that are held with it wait for each
   * other.
   */
  readonly inAll: LimitInAll | null
}

export type LimitInAll = {
  readonly max: Usdc
  /**
   * Above half of `max`, a payer from whose channels nothing was claimed yet gets what is left
   * divided by this number.
   */
  readonly newPayers: bigint
}

/** What is charged or in flight and not claimed, in atomic units. */
export type AmountsAtRisk = {
  readonly inAll: bigint
  /** In the channels of one payer. */
  readonly ofPayer: bigint
  /** What was claimed from the channels of that payer. */
  readonly claimedOfPayer: bigint
}

export const noLimits: CallLimits = { ofChannel: atomicUsdc(2n ** 63n - 1n), inAll: null }

/** Whether a channel would exceed its limit of the amount at risk. */
export function isBeyondChannel(
  { charged, reserved, claimed }: Pick<ChannelRecord, 'charged' | 'reserved' | 'claimed'>,
  amount: Usdc,
  { ofChannel }: Pick<CallLimits, 'ofChannel'>,
): boolean {
  return charged + reserved - claimed + amount > ofChannel
}

/**
 * The limit that a call up to `amount` would exceed; null if it exceeds none. The first half of the
 * total limit is open to all payers. Above it, a payer may have at risk what was claimed from its
 * channels before, up to that half, or a small part of the rest: so neither one payer nor many new
 * payers keep the others from buying.
 */
export function reachedLimit(
  { inAll, ofPayer, claimedOfPayer }: AmountsAtRisk,
  amount: Usdc,
  { max, newPayers }: LimitInAll,
): 'in_all' | 'of_payer' | null {
  if (inAll + amount > max) return 'in_all'
  if (2n * (inAll + amount) <= max) return null
  const earned = least(claimedOfPayer, max / 2n)
  const shared = (max - inAll) / newPayers
  return ofPayer + amount > greatest(earned, shared) ? 'of_payer' : null
}
