import type { ChannelRecord, Hex, PaymentId, Voucher } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import { encodeHeader } from '../wire/payment-envelope.ts'
import { claimedHeaders } from '../wire/receipt-headers.ts'
import type { ChannelState } from './channel-requirements.ts'
import type { ReportedCharge } from './hold-report.ts'

/** The deposit that a request made, which is a separate payment. */
export type ReceivedDeposit = {
  readonly transaction: Hex
  readonly amount: Usdc
  readonly paymentId: PaymentId
}

export type ChannelReceipt = {
  /** CAIP-2. */
  readonly network: string
  readonly channel: ChannelRecord
  readonly charge: ReportedCharge
  /** What the call cost; null while it runs. */
  readonly cost: Usdc | null
  readonly deposit: ReceivedDeposit | null
  readonly paymentId: PaymentId
}

type Settlement = {
  readonly success: boolean
  readonly payer: Hex
  readonly transaction: Hex | ''
  readonly network: string
  readonly amount: string
  readonly extra: ChannelState & { readonly chargedAmount: string; readonly cost?: string }
}

/** The headers of a response that was paid from a channel, as the stock client reads them. */
export function channelReceiptHeaders(receipt: ChannelReceipt): Readonly<Record<string, string>> {
  const { network, channel, charge, cost, deposit, paymentId } = receipt
  const settlement: Settlement = {
    success: true,
    payer: channel.config.payer,
    transaction: deposit?.transaction ?? '',
    network,
    amount: deposit?.amount.toString() ?? '',
    extra: {
      chargedAmount: charge.chargedAmount.toString(),
      ...(cost !== null && { cost: cost.toString() }),
      ...channelState(channel, charge.chargedCumulativeAmount),
    },
  }
  return {
    'PAYMENT-RESPONSE': encodeHeader(settlement),
    ...claimedHeaders(paymentId),
  }
}

/** A `PAYMENT-RESPONSE` of ours for a call that costs nothing; the same if no channel paid. */
export function withoutCharge(receipt: string): string {
  const text = Buffer.from(receipt, 'base64').toString()
  const settlement = JSON.parse(text) as Partial<Settlement>
  const { extra } = settlement
  if (extra === undefined) return receipt
  const { channelState: state } = extra
  const base = BigInt(state.chargedCumulativeAmount) - BigInt(extra.chargedAmount)
  const channelState = { ...state, chargedCumulativeAmount: base.toString() }
  return encodeHeader({ ...settlement, extra: { chargedAmount: '0', cost: '0', channelState } })
}

/** The state of a channel, with a voucher of its client as proof. */
export function provenState(
  channel: ChannelRecord,
  charged: bigint,
  { max, signature }: Voucher,
): ChannelState {
  const voucherState = { signedMaxClaimable: max.toString(), signature }
  return { ...channelState(channel, charged), voucherState }
}

/** The state of a channel; its client signs on top of `charged`. */
export function channelState(channel: ChannelRecord, charged: bigint): ChannelState {
  const { id, deposited, returned, claimed, withdrawAt, refundNonce, config } = channel
  return {
    channelState: {
      channelId: id,
      balance: (deposited - returned).toString(),
      totalClaimed: claimed.toString(),
      withdrawRequestedAt: withdrawAt === null ? 0 : withdrawAt - config.withdrawDelay,
      refundNonce: refundNonce.toString(),
      chargedCumulativeAmount: charged.toString(),
    },
  }
}
