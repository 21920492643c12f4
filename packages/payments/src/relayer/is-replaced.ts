import type { TransactionReceipt } from 'viem'

/**
 * Whether a transfer of the relayer to itself took the place of a call, which was stuck and would
 * have reverted by then. Its receipt is posted for the call, with status `success`.
 */
export function isReplaced({ from, to }: Pick<TransactionReceipt, 'from' | 'to'>): boolean {
  return to === from
}
