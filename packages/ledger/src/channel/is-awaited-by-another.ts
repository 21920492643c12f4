import type { Usdc } from '@farebox/money'
import type { PaymentRecord } from '../payment/payment-record.ts'
import type { ChannelRecord } from './channel-record.ts'

/** Whether the correction of another request named this voucher, and that request is still awaited. */
export function isAwaitedByAnother(
  { turn }: Pick<ChannelRecord, 'turn'>,
  { requestDigest, createdAt }: Pick<PaymentRecord, 'requestDigest' | 'createdAt'>,
  max: Usdc,
): boolean {
  if (turn === null || turn.until <= createdAt) return false
  return turn.max === max && turn.digest !== requestDigest
}
