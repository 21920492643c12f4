import type { Usdc } from '@farebox/money'

/** The operator's terms of sale. */
export type Terms = {
  /** Added to the quoted maximum only, in basis points. */
  readonly bufferBps: number
  /** The operator's margin in basis points, included in every price listed, quoted and charged. */
  readonly markupBps: number
  /** The lowest price of a paid call, quoted and charged. */
  readonly minimumCharge: Usdc
}
