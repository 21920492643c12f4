import { greatest, type Usdc } from '@farebox/money'
import type { ChannelRecord } from './channel-record.ts'

/** A call with the ceiling `amount`, paid by a voucher up to `max`. */
export type CallClaim = { readonly amount: Usdc; readonly max: Usdc }

/**
 * Whether a channel covers a call: it is open, no withdrawal is pending, and its vouchers and its
 * escrow both cover what was charged, what is in flight, and the call.
 */
export function admitsCall(channel: ChannelRecord, { amount, max }: CallClaim): boolean {
  const { status, withdrawAt, deposited, returned, charged, reserved, signed } = channel
  const needed = charged + reserved + amount
  return (
    status === 'open' &&
    withdrawAt === null &&
    needed <= greatest(signed, max) &&
    needed <= deposited - returned
  )
}
