import { greatest } from '@farebox/money'
import type { PaymentRecord } from '../payment/payment-record.ts'
import type { CallClaim } from './admits-call.ts'
import type { ChannelRecord } from './channel-record.ts'

/**
 * Whether another request, which was corrected and is still awaited, needs what this call would
 * use: the same voucher, or what the awaited voucher covers. Its ceiling is not stored, so it counts
 * as that of this call.
 */
export function isAwaitedByAnother(
  { turn, charged, reserved, signed }: ChannelRecord,
  { requestDigest, createdAt }: Pick<PaymentRecord, 'requestDigest' | 'createdAt'>,
  { amount, max }: CallClaim,
): boolean {
  if (turn === null || turn.until <= createdAt || turn.digest === requestDigest) return false
  const both = charged + reserved + 2n * amount
  return turn.max === max || both > greatest(greatest<bigint>(signed, max), turn.max)
}
