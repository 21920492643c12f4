import type { ChannelRecord } from './channel-record.ts'

/** What the contract still holds of a channel by the ledger, and has not claimed for the treasury. */
export function escrowOf({ deposited, returned, claimed }: ChannelRecord): bigint {
  return deposited - returned - claimed
}
