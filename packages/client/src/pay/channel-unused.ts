import { formatDecimal } from '@farebox/money'

/** Why a call was paid by `exact`, although the client pays from a payment channel. */
export type ChannelUnused = {
  /**
   * - `not_offered`: the gateway does not sell this call from channels
   * - `deposit_above_limit`: the call needs a deposit of more than five times `maxAmountPerCall`
   * - `caps_exceeded`: the deposit, or what the channel holds, does not fit what is left of the caps
   * - `refused`: the gateway did not accept the channel; it is tried again after a minute
   * - `closed`: the client closed its channel
   */
  readonly reason: 'not_offered' | 'deposit_above_limit' | 'caps_exceeded' | 'refused' | 'closed'
  /** Human-readable. */
  readonly message: string
}

const instead = 'The call is paid by exact'

export const notOffered: ChannelUnused = {
  reason: 'not_offered',
  message: `${instead}: the gateway does not sell it from payment channels.`,
}

export const closedByUs: ChannelUnused = {
  reason: 'closed',
  message: `${instead}: the payment channel was closed.`,
}

export function depositAboveLimit(lacks: bigint, limit: bigint): ChannelUnused {
  const least = `a deposit of at least ${usdc(lacks)}`
  return {
    reason: 'deposit_above_limit',
    message: `${instead}: its channel needs ${least}, and the limit is ${usdc(limit)}, five times the cap of one call.`,
  }
}

/** `deposit` is 0 if the channel holds enough. */
export function capsExceeded(deposit: bigint): ChannelUnused {
  const what = deposit === 0n ? 'what its channel holds' : `a deposit of ${usdc(deposit)}`
  return {
    reason: 'caps_exceeded',
    message: `${instead}: ${what} exceeds what is left of the hourly or the total cap.`,
  }
}

/** `why` is the server's message, which names the fix, or its code. */
export function refusedBy(why: string | undefined): ChannelUnused {
  return {
    reason: 'refused',
    message: `${instead}: the gateway did not accept the payment channel, which is tried again after a minute.${why === undefined ? '' : ` ${why}`}`,
  }
}

function usdc(amount: bigint): string {
  return `${formatDecimal(amount, 6)} USDC`
}
