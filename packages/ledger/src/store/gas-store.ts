import type { Hex } from '../payment/payment-record.ts'

/**
 * The purpose of a transaction of the relayer. `filler` only uses up a nonce, so that later
 * transactions can proceed.
 */
export const gasPurposes = ['settlement', 'refund', 'channel', 'filler'] as const

export type GasPurpose = (typeof gasPurposes)[number]

/** A mined transaction of the relayer, identified by its sender and nonce. */
export type GasPaid = {
  readonly chainId: number
  readonly sender: Hex
  readonly nonce: number
  readonly transaction: Hex
  readonly purpose: GasPurpose
  /** Whether it was not reverted. Gas is paid either way. */
  readonly succeeded: boolean
  /** Units of gas. */
  readonly gas: bigint
  /** Wei, with what its data costs on the chain below. */
  readonly fee: bigint
  /** When it was seen to be mined, in milliseconds since 1970. */
  readonly at: number
}

/** What the transactions of one purpose cost on one day. */
export type GasOfDay = {
  /** The first millisecond of the day in UTC. */
  readonly day: number
  readonly sender: Hex
  readonly purpose: GasPurpose
  readonly transactions: number
  /** How many of them were reverted. */
  readonly reverted: number
  readonly gas: bigint
  /** Wei. */
  readonly fee: bigint
  readonly firstNonce: number
  readonly lastNonce: number
}

/** Keeps what the relayer pays for gas. It is in ETH, and so outside of the books. */
export type GasStore = {
  /**
   * Records mined transactions and adds them to the sums of their days, in one transaction. A known
   * transaction changes nothing; one that was mined instead of another with the same nonce replaces
   * it.
   */
  recordGas(paid: readonly GasPaid[]): Promise<void>
  /** The sums from one day until before another, by day, purpose and sender, in this order. */
  gasByDay(period: { readonly from: number; readonly to: number }): Promise<readonly GasOfDay[]>
  /** What a transaction cost; undefined if it is not the relayer's or was not recorded. */
  gasOf(transaction: Hex): Promise<GasPaid | undefined>
}

/** How many transactions of the senders are missing between the recorded ones. */
export function unrecordedTransactions(days: readonly GasOfDay[]): number {
  const bySender = Map.groupBy(days, ({ sender }) => sender)
  return [...bySender.values()].reduce((sum, ofSender) => sum + gaps(ofSender), 0)
}

function gaps(days: readonly GasOfDay[]): number {
  const first = Math.min(...days.map(({ firstNonce }) => firstNonce))
  const last = Math.max(...days.map(({ lastNonce }) => lastNonce))
  const recorded = days.reduce((sum, { transactions }) => sum + transactions, 0)
  return Math.max(0, last - first + 1 - recorded)
}
