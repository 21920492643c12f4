import type { Usdc } from '@farebox/money'
import type { Hex, Lease } from '../payment/payment-record.ts'

/**
 * The terms of a payment channel, as the settlement contract hashes them. Addresses and salt are
 * lower-case hexadecimal.
 */
export type ChannelConfig = {
  readonly payer: Hex
  /** The address whose signature makes a voucher valid. */
  readonly payerAuthorizer: Hex
  readonly receiver: Hex
  /** The address that signs claims and refunds. */
  readonly receiverAuthorizer: Hex
  readonly token: Hex
  /** Seconds from the announcement of a withdrawal until it can be finalized. */
  readonly withdrawDelay: number
  /** 32 bytes. */
  readonly salt: Hex
}

/**
 * The states of a channel.
 *
 * - `opening`: no deposit is proven yet
 * - `open`: calls are admitted
 * - `closing`: the rest is about to be returned, and a signed refund may exist: no call is admitted
 * - `closed`: the whole rest was returned; another deposit opens it again
 * - `frozen`: the chain and the ledger disagree, so it never sells again
 */
export const channelStatuses = ['opening', 'open', 'closing', 'closed', 'frozen'] as const

export type ChannelStatus = (typeof channelStatuses)[number]

/** A payer's signature that allows claims of up to `max` in total from its channel. */
export type Voucher = {
  readonly max: Usdc
  /** 65 bytes. */
  readonly signature: Hex
}

/** The corrected call that a channel waits for. */
export type ChannelTurn = {
  /** The request digest of the call that was corrected. */
  readonly digest: string
  /** The `max` of the voucher that the correction asked for. */
  readonly max: Usdc
  /** Milliseconds since 1970. */
  readonly until: number
}

/** One payer's channel. All amounts only grow, unless a reorganization takes them back. */
export type ChannelRecord = {
  /** The EIP-712 digest of the config: 32 bytes. */
  readonly id: Hex
  readonly chainId: number
  readonly config: ChannelConfig
  readonly status: ChannelStatus
  /** Why it is frozen: a stable code. */
  readonly reason: string | null
  /** Incremented by each event. */
  readonly version: number
  /** Paid into the contract, proven by its logs. */
  readonly deposited: Usdc
  /** Refunded or withdrawn, proven by logs. */
  readonly returned: Usdc
  /** The cost of its ended calls. */
  readonly charged: Usdc
  /** The ceilings of its calls in flight. */
  readonly reserved: Usdc
  /** The `max` of its highest voucher. */
  readonly signed: Usdc
  readonly signature: Hex | null
  /** The contract's `totalClaimed`, proven by logs. */
  readonly claimed: Usdc
  /** When there was first something to claim; null if all charges are claimed. */
  readonly unclaimedSince: number | null
  /** The contract's `refundNonce` as far as its logs were read. */
  readonly refundNonce: bigint
  /** When a pending withdrawal can be paid out, in seconds since 1970. */
  readonly withdrawAt: number | null
  /** The block up to which its events have been read. */
  readonly seenBlock: number
  readonly turn: ChannelTurn | null
  readonly lease: Lease | null
  /** Milliseconds since 1970. */
  readonly lastCallAt: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A channel of which only the terms are known. */
export type NewChannel = Pick<
  ChannelRecord,
  'id' | 'chainId' | 'config' | 'seenBlock' | 'createdAt'
>
