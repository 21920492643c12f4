import type { TransferProof } from '@farebox/ledger'

/** The place of a log in its block. Mined again in another block, it has another place. */
export function placeOf({
  blockHash,
  logIndex,
}: Pick<TransferProof, 'blockHash' | 'logIndex'>): string {
  return `${blockHash}:${logIndex}`
}
