import type { Usdc } from '@farebox/money'
import type { AmountsAtRisk, CallLimits } from '../channel/call-limits.ts'
import type { ChannelEvent } from '../channel/channel-event.ts'
import type { BookedMovement, ChannelMovement } from '../channel/channel-movement.ts'
import type { ChannelRecord, ChannelTurn, NewChannel, Voucher } from '../channel/channel-record.ts'
import type { OnCorruptRow } from '../payment/ledger-error.ts'
import type { Hex, PaymentRecord } from '../payment/payment-record.ts'
import type { BeyondBalance, ClaimOutcome, LeaseRequest, NewPayment } from './claim-outcome.ts'

/** The result of claiming a deposit. */
export type DepositOutcome =
  | ClaimOutcome
  | BeyondBalance
  /** Another deposit into the channel is `settling` or `unknown`; nothing was written. */
  | { readonly status: 'deposit_pending'; readonly payment: PaymentRecord }

/** The result of holding a call; only `held` wrote anything. */
export type HoldOutcome =
  /** The call is `serving`: its one upstream call may be made. */
  | { readonly status: 'held'; readonly payment: PaymentRecord; readonly channel: ChannelRecord }
  /** The voucher pays for another call, which is `payment`. */
  | { readonly status: 'taken'; readonly payment: PaymentRecord; readonly channel: ChannelRecord }
  /** `admitsCall` is false: the channel does not cover the call, or the voucher is kept for another. */
  | { readonly status: 'misfit'; readonly channel: ChannelRecord }
  /** More than a limit would be charged and in flight beyond what is claimed. */
  | {
      readonly status: 'limit_reached'
      readonly channel: ChannelRecord
      readonly limit: 'of_channel' | 'of_payer' | 'in_all'
    }
  | { readonly status: 'no_channel' }

export type ChannelOutcome =
  | { readonly status: 'applied'; readonly channel: ChannelRecord }
  /**
   * The log was applied before, or its loss was, or its transaction is booked from another block and
   * not taken back yet; nothing was written.
   */
  | { readonly status: 'known'; readonly channel: ChannelRecord }

/** A voucher that may be public from now on, so that it pays for no further call. */
export type PublishedVoucher = { readonly channel: ChannelRecord; readonly voucher: Voucher }

/** A payment of claimed escrow to the treasury, or one that vanished in a reorganization. */
export type SettleEvent = Pick<ChannelMovement, 'chainId' | 'amount' | 'proof' | 'at'> & {
  readonly type: 'settled' | 'settle_lost'
}

/**
 * The channels that a round on the chain works on, the most urgent first. If there are more than the limit,
 * those whose last lease ended first are taken. Times are milliseconds since 1970.
 */
export type ChannelsDue =
  /** More than `above` can be claimed, or something since `before` or longer; the oldest first. */
  | { readonly due: 'claim'; readonly above: Usdc; readonly before: number }
  /**
   * A withdrawal is pending; the one that can be finalized first comes first. Those from which
   * something can be claimed are taken before the others.
   */
  | { readonly due: 'withdrawal' }
  /** Closing, and no call is in flight; the oldest last call first. */
  | { readonly due: 'refund' }
  /** Open, no call since `before` and none in flight, and a rest above `above`; the oldest first. */
  | { readonly due: 'close'; readonly above: Usdc; readonly before: number }

/** Sums over the channels that are not closed, in atomic units. */
export type ChannelTotals = {
  readonly channels: number
  readonly deposited: bigint
  readonly returned: bigint
  readonly charged: bigint
  readonly reserved: bigint
  readonly claimed: bigint
  /** Charged and not claimed, as far as the escrow of each channel covers it. */
  readonly claimable: bigint
  /** How many are frozen and hold escrow: what the contract and the ledger disagree about. */
  readonly frozen: number
  /** Claimed from channels in any state, and not yet paid to the treasury. */
  readonly unsettled: bigint
}

/**
 * Stores payment channels. Deposits and calls are payments: `apply` writes what their events do to the
 * channel in the same transaction.
 */
export type ChannelStore = {
  /**
   * Claims a deposit as `claimWithin` claims a sale, and inserts its channel as `opening` if it is
   * new. Without `balance`, the balance is not checked. One deposit per channel is in flight at a
   * time.
   *
   * @throws {LedgerError} `invalid_payment`, `duplicate_id`.
   */
  claimDeposit(deposit: NewPayment, channel: NewChannel, balance?: bigint): Promise<DepositOutcome>
  /** Inserts a channel as `opening`, unless it is known, and returns it as it is stored. */
  openChannel(channel: NewChannel): Promise<ChannelRecord>
  loadChannel(id: Hex): Promise<ChannelRecord | undefined>
  /**
   * Admits a call and begins it, in one transaction: the channel reserves its ceiling, the voucher is
   * used, and the payment is inserted as `serving`. A voucher whose call cost nothing can be used
   * again. `taken` comes before `misfit`, and that before `limit_reached`; without limits none is
   * judged.
   *
   * @throws {LedgerError} `invalid_payment`, `duplicate_id`.
   */
  holdCall(call: NewPayment, voucher: Voucher, limits?: CallLimits): Promise<HoldOutcome>
  /** The call that a channel's voucher up to `max` pays for, unless it cost nothing. */
  findCall(channelId: Hex, max: Usdc): Promise<PaymentRecord | undefined>
  /** The smallest base of at least `from` whose voucher up to base + `ceiling` is unused. */
  unusedBase(channelId: Hex, from: Usdc, ceiling: Usdc): Promise<Usdc>
  /**
   * Applies `transitionChannel` to the channel as it is stored, and books the movement that the event
   * proves or takes back.
   *
   * @throws {TransitionError} if the event is not allowed in that state.
   * @throws {LedgerError} `not_found`; `proof_used` if the log proves another movement.
   */
  applyToChannel(channel: Pick<ChannelRecord, 'id'>, event: ChannelEvent): Promise<ChannelOutcome>
  /**
   * Waits for a corrected call. Undefined if the channel has changed since it was read, or if
   * another request's turn has not ended at `now`, in milliseconds since 1970.
   */
  takeTurn(
    channel: Pick<ChannelRecord, 'id' | 'version'>,
    turn: ChannelTurn,
    now: number,
  ): Promise<ChannelRecord | undefined>
  /**
   * The smallest voucher that covers what is charged, undefined if there is nothing to claim; with
   * `from`, the smallest that covers this much. From then on it pays for no call, even if the one that
   * it paid for cost nothing.
   *
   * @throws {LedgerError} `not_found` if no voucher covers that much.
   */
  publishVoucher(id: Hex, from?: Usdc): Promise<PublishedVoucher | undefined>
  /** Takes the lease of a channel if it is free or expired, or extends the owner's own. */
  leaseChannel(
    id: Hex,
    lease: { owner: string; until: number; now: number },
  ): Promise<ChannelRecord | undefined>
  /**
   * Leases channels whose lease is free or expired. One that a clock set while it was ahead counts as expired,
   * since a withdrawal may be paid out before its end. A lease does not change the version.
   * `onCorrupt` as in `leaseUnfinished`.
   */
  leaseChannels(
    due: ChannelsDue,
    request: LeaseRequest,
    onCorrupt?: OnCorruptRow,
  ): Promise<readonly ChannelRecord[]>
  /** Books a settlement of claims, or takes it back; `known` if that was done before. */
  recordSettle(event: SettleEvent): Promise<'recorded' | 'known'>
  /**
   * The movements in `fromBlock` or later that were not lost, in order of the chain; `onCorrupt` as
   * in `exportPayments`.
   */
  channelMovements(
    search: { readonly chainId: number; readonly fromBlock: number },
    onCorrupt?: OnCorruptRow,
  ): Promise<readonly ChannelMovement[]>
  channelTotals(): Promise<ChannelTotals>
  /** What the limit in all is compared with, over the channels that are not closed. */
  channelsAtRisk(payer: Hex): Promise<AmountsAtRisk>
  /** A snapshot of every channel, in order of creation; `onCorrupt` as in `exportPayments`. */
  exportChannels(onCorrupt?: OnCorruptRow): AsyncIterable<ChannelRecord>
  /** A snapshot of every movement with its entries, in the order in which they were recorded. */
  exportMovements(onCorrupt?: OnCorruptRow): AsyncIterable<BookedMovement>
}
