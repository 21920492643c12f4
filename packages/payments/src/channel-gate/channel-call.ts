import type { ChannelRecord } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { ChannelClaim, SignedDeposit } from '../channel/channel-payload.ts'
import type { ReceivedDeposit } from '../channel/channel-receipt.ts'
import type { Admission, AdmissionRequest, Offer } from '../gate/payment-gate.ts'

/** A request that presents a genuine voucher of a channel that pays us. */
export type ChannelCall = ChannelClaim & {
  readonly request: AdmissionRequest
  readonly offer: Offer
  /** The most that the call can cost, in atomic units. */
  readonly ceiling: Usdc
  /** The deposit that the same request made. */
  readonly deposit: ReceivedDeposit | null
}

/** A call with a deposit into its channel. */
export type DepositCall = ChannelCall & { readonly signed: SignedDeposit }

/**
 * The result of an attempt to hold a call: an admission, or a voucher that the client must sign
 * again.
 */
export type CallAttempt =
  | { readonly status: 'decided'; readonly admission: Admission }
  | {
      readonly status: 'misfit'
      readonly channel: ChannelRecord
      /** Its voucher paid for another call. */
      readonly isUsed: boolean
      /** That call has ended, longer ago than calls wait to be corrected. */
      readonly isOld?: boolean
    }
  | { readonly status: 'no_channel' }

/** The ceiling of a call that is paid from a channel. */
export function ceilingOf({ amount, channelAmount }: Offer): Usdc {
  return channelAmount ?? amount
}
