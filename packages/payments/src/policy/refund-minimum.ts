import { atomicUsdc, greatest, least, type Usdc } from '@farebox/money'
import type { ChainReader } from '../chain/chain.ts'

/** The smallest refund that gets its own transfer; smaller ones are batched per payer. */
export type RefundMinimum = {
  /** The last known value. */
  current(): Usdc
  /** Reads the gas price when the last reading is old. Keeps the last reading when the node fails. */
  refresh(): Promise<void>
}

/** A minimum that never changes. With one atomic unit, each refund is sent at once. */
export function fixedRefundMinimum(minimum: Usdc): RefundMinimum {
  return { current: () => minimum, refresh: async () => undefined }
}

export type ComputedRefundMinimumOptions = {
  readonly chain: Pick<ChainReader, 'gasPrice'>
  readonly clock: () => number
  /** Whole US dollars per ETH. A rough figure is enough for a threshold, so no oracle is used. */
  readonly dollarsPerEther?: bigint
  /** Gas of one refund: 48,615 in a batch of 50, 85,692 alone, on FiatTokenV2_2. */
  readonly gasPerRefund?: bigint
  /** The share of a refund that its gas may take, in basis points. */
  readonly gasShareBps?: bigint
  /** Facilitators reject payments below a thousandth of a dollar. */
  readonly lowest?: Usdc
  /** The largest refund that a spike of the gas price can delay. */
  readonly highest?: Usdc
  readonly refreshSeconds?: number
}

/** gas × price × dollars per ether ÷ share, within bounds; 0.005 gwei until the first reading. */
export function computedRefundMinimum(options: ComputedRefundMinimumOptions): RefundMinimum {
  const { chain, clock, refreshSeconds = 60 } = options
  let current = refundMinimumAt(5_000_000n, options)
  let readAt = Number.NEGATIVE_INFINITY

  return {
    current: () => current,
    async refresh() {
      if (clock() - readAt < refreshSeconds * 1000) return
      readAt = clock()
      try {
        current = refundMinimumAt(await chain.gasPrice(), options)
      } catch {
        // The last reading stands: a threshold need not be exact.
      }
    },
  }
}

/** The minimum at a gas price in wei, in atomic units, rounded up. */
export function refundMinimumAt(
  gasPrice: bigint,
  options: Omit<ComputedRefundMinimumOptions, 'chain' | 'clock'>,
): Usdc {
  const { dollarsPerEther = 3_000n, gasPerRefund = 60_000n, gasShareBps = 1_000n } = options
  const { lowest = atomicUsdc(1_000n), highest = atomicUsdc(50_000n) } = options
  // wei × dollars per ether is 1e-18 dollars; an atomic unit is 1e-6 dollars.
  const cost = gasPrice * gasPerRefund * dollarsPerEther * 10_000n
  const divisor = gasShareBps * 1_000_000_000_000n
  const minimum = atomicUsdc((cost + divisor - 1n) / divisor)
  return least(greatest(minimum, lowest), highest)
}
