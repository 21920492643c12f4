import type { Usdc } from '@farebox/money'
import type { PaymentRecord } from '../payment/payment-record.ts'
import type { ChannelRecord } from './channel-record.ts'

/**
 * Whether this voucher is reserved for another request, which was corrected to it and is still
 * awaited.
 */
export function isAwaitedByAnother(
  { turn }: Pick<ChannelRecord, 'turn'>,
  { requestDigest, createdAt }: Pick<PaymentRecord, 'requestDigest' | 'createdAt'>,
  max: Usdc,
): boolean {
  if (turn === null || turn.until <= createdAt) return false
  return turn.max === max && turn.digest !== requestDigest
}
