import { atomicUsdc, greatest, least, type Usdc } from '@farebox/money'
import type { ChannelRecord } from './channel-record.ts'
import { escrowOf } from './escrow-of.ts'

/**
 * Where a channel's deposits are: `deposited = claimed + claimable + held + refundable + returned`.
 */
export type ChannelAmounts = {
  readonly claimed: Usdc
  /** Charged and not claimed, as far as the escrow covers it. */
  readonly claimable: Usdc
  /** For calls in flight, as far as the escrow covers them. */
  readonly held: Usdc
  /** What is left. Negative only while a reorganization took a deposit but not yet its claims. */
  readonly refundable: Usdc
  readonly returned: Usdc
  /** Charged or in flight beyond the escrow: what a withdrawal took before it could be claimed. */
  readonly uncovered: Usdc
}

/** Splits a channel's deposits by what happened to them. */
export function channelAmounts(channel: ChannelRecord): ChannelAmounts {
  const { returned, claimed, charged, reserved } = channel
  const escrow = escrowOf(channel)
  const claimable = upTo(charged - claimed, escrow)
  const held = upTo(reserved, escrow - claimable)
  return {
    claimed,
    claimable,
    held,
    refundable: atomicUsdc(escrow - claimable - held),
    returned,
    uncovered: atomicUsdc(charged - claimed + reserved - claimable - held),
  }
}

function upTo(wanted: bigint, available: bigint): Usdc {
  return least(atomicUsdc(wanted), greatest(atomicUsdc(available), atomicUsdc(0n)))
}
