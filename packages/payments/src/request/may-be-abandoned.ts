import type { PaymentRecord } from '@farebox/ledger'

/**
 * Whether nothing was served yet for a payment that was just admitted. A channel's call is `serving`
 * once it is admitted; any other payment once its service has begun.
 */
export function mayBeAbandoned({ status, kind }: PaymentRecord): boolean {
  return status === 'settled' || kind === 'channel_call'
}
