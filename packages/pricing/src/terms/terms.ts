import type { Usdc } from '@farebox/money'

/** The operator's terms of sale. */
export type Terms = {
  /** Added to the quoted maximum only, in basis points. */
  readonly bufferBps: number
  /** The operator's margin, in basis points: part of every price listed, quoted and charged. */
  readonly markupBps: number
  /** The least that a paid call is quoted at and costs. */
  readonly minimumCharge: Usdc
}
