import { greatest, least } from '@farebox/money'
import type { PublicClient } from 'viem'
import { readHeader } from '../rpc/block-header.ts'
import { createRecentReading } from '../scheduling/recent-reading.ts'

export type GasFees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** The current fees; `fee_cap` when the chain asks more than we are willing to pay. */
export type FeeSource = () => Promise<GasFees | 'fee_cap'>

/** Fees change at most once per block. */
const freshMs = 500

/**
 * Reads the base fee and the tip of the latest block. With twice the base fee, a transaction only has
 * to wait after six full blocks in a row. Rejects when the node does not answer.
 */
export function createFeeSource(
  client: PublicClient,
  { cap, clock }: { readonly cap: bigint; readonly clock: () => number },
): FeeSource {
  return createRecentReading(() => readFees(client, cap), { clock, freshMs })
}

async function readFees(client: PublicClient, cap: bigint): Promise<GasFees | 'fee_cap'> {
  const [block, tip] = await Promise.all([
    readHeader(client, 'latest'),
    client.estimateMaxPriorityFeePerGas(),
  ])
  const base = block.baseFeePerGas ?? 0n
  if (base + tip > cap) return 'fee_cap'
  return { maxFeePerGas: least(base * 2n + tip, cap), maxPriorityFeePerGas: least(tip, cap) }
}

/**
 * Fees that nodes accept as a replacement: both at least a tenth higher than before, and not below
 * what is asked now. `fee_cap` when that is more than we are willing to pay.
 */
export function replacementFees(old: GasFees, now: GasFees, cap: bigint): GasFees | 'fee_cap' {
  const maxFeePerGas = greatest(raised(old.maxFeePerGas), now.maxFeePerGas)
  const maxPriorityFeePerGas = greatest(raised(old.maxPriorityFeePerGas), now.maxPriorityFeePerGas)
  return maxFeePerGas > cap ? 'fee_cap' : { maxFeePerGas, maxPriorityFeePerGas }
}

/** An eighth more, rounded up. */
function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n
}
