import { least } from '@farebox/money'

/** Atomic units, since the channel began; `ceiling` of this call alone. */
export type ReportedCall = {
  /** The cost of ended calls, and the ceilings of those in flight. */
  readonly charged: bigint
  readonly reserved: bigint
  /** The sum that the client signed on top of: its voucher less the ceiling. */
  readonly base: bigint
  readonly ceiling: bigint
}

/** What a receipt reports as the charge of the call, and of all calls together. */
export type ReportedCharge = {
  readonly chargedAmount: bigint
  readonly chargedCumulativeAmount: bigint
}

/**
 * What the receipt of a call reports. The header of a stream leaves before the cost is known, so it
 * holds the ceiling; the receipts of later calls pull the client's sum back, because a call may be
 * reported as less than it cost. At least 1 unit is reported for what was used, so that the next
 * voucher differs from this one.
 */
export function reportHold({ charged, reserved, base, ceiling }: ReportedCall): ReportedCharge {
  const [min, max] = [base + 1n, base + ceiling]
  const spent = charged + reserved
  const next = spent < min ? min : least(spent, max)
  return { chargedAmount: next - base, chargedCumulativeAmount: next }
}

/** What the receipt of a call that cost nothing reports: its voucher may be signed again. */
export function reportNothing({ base }: Pick<ReportedCall, 'base'>): ReportedCharge {
  return { chargedAmount: 0n, chargedCumulativeAmount: base }
}
