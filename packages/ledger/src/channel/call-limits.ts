import { atomicUsdc, type Usdc } from '@farebox/money'
import type { ChannelRecord } from './channel-record.ts'

/** The most that may be charged and in flight beyond what is claimed, with a call that is to be held. */
export type CallLimits = {
  readonly ofChannel: Usdc
  /**
   * The limit of all channels together: calls that are held with it wait for each other. Null omits
   * it.
   */
  readonly inAll: Usdc | null
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
