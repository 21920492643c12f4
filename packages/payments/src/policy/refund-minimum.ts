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
}

/** Gas of one refund: 48,615 in a batch of 50, 85,692 alone, on FiatTokenV2_2. */
const gasPerRefund = 60_000n
/** A refund is at least this many times what its gas costs. */
const timesItsGas = 10n
/** Facilitators reject payments below a thousandth of a dollar. */
const lowest = atomicUsdc(1_000n)
/** The largest refund that a spike of the gas price can delay. */
const highest = atomicUsdc(50_000n)
const refreshMs = 60_000

/** Ten times gas × price × dollars per ether, within bounds; 0.005 gwei until the first reading. */
export function computedRefundMinimum(options: ComputedRefundMinimumOptions): RefundMinimum {
  const { chain, clock, dollarsPerEther = 3_000n } = options
  let current = refundMinimumAt(5_000_000n, dollarsPerEther)
  let readAt = Number.NEGATIVE_INFINITY

  return {
    current: () => current,
    async refresh() {
      if (clock() - readAt < refreshMs) return
      readAt = clock()
      try {
        current = refundMinimumAt(await chain.gasPrice(), dollarsPerEther)
      } catch {
        // The last reading stands: a threshold need not be exact.
      }
    },
  }
}

/** The minimum at a gas price in wei, in atomic units, rounded up. */
export function refundMinimumAt(gasPrice: bigint, dollarsPerEther: bigint): Usdc {
  // wei × dollars per ether is 1e-18 dollars; an atomic unit is 1e-6 dollars.
  const cost = gasPrice * gasPerRefund * dollarsPerEther * timesItsGas
  const divisor = 1_000_000_000_000n
  const minimum = atomicUsdc((cost + divisor - 1n) / divisor)
  return least(greatest(minimum, lowest), highest)
}
