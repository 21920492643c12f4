import type { TransferProof } from '@farebox/ledger'
import type { ChainReader } from '../chain/chain.ts'

/** How many blocks confirm a proof; `gone` when its block has left the canonical chain. */
export type ConfirmationsOf = ChainReader['confirmationsOf']

/** Asks the node about each block once, however many proofs lie in it. For one round of work. */
export function createConfirmationCache(
  chain: Pick<ChainReader, 'confirmationsOf'>,
): ConfirmationsOf {
  const known = new Map<string, Promise<number | 'gone'>>()
  return function confirmationsOf(proof: TransferProof) {
    const confirmations = known.get(proof.blockHash) ?? chain.confirmationsOf(proof)
    known.set(proof.blockHash, confirmations)
    return confirmations
  }
}
