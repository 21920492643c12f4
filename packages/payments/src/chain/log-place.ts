import type { TransferProof } from '@farebox/ledger'

/** Where a log lies, in one block of one history: the same log that is mined again has another place. */
export function placeOf({
  blockHash,
  logIndex,
}: Pick<TransferProof, 'blockHash' | 'logIndex'>): string {
  return `${blockHash}:${logIndex}`
}
