import type { Hex, PaymentRecord } from '@farebox/ledger'

/** What the ended calls of a channel cost, and what those in flight can cost, in atomic units. */
export type CallSums = { readonly charged: bigint; readonly reserved: bigint }

/** Adds up the calls of each channel as they are read. */
export type CallTally = {
  add(call: PaymentRecord): void
  readonly of: (channelId: Hex) => CallSums
}

export function createCallTally(): CallTally {
  const sums = new Map<Hex | null, CallSums>()
  const none = { charged: 0n, reserved: 0n }
  return {
    add({ channelId, cost, authorization }) {
      const { charged, reserved } = sums.get(channelId) ?? none
      const more =
        cost === null ? { reserved: reserved + authorization.value } : { charged: charged + cost }
      sums.set(channelId, { charged, reserved, ...more })
    },
    of: (channelId) => sums.get(channelId) ?? none,
  }
}
