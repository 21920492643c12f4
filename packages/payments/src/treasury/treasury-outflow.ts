import type { Hex } from '@farebox/ledger'
import type { ChainTransfer } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'

export type TreasuryAccounts = {
  readonly asset: Hex
  readonly treasury: Hex
  /** Accounts that the owner moves the treasury's money to, by any kind of transfer. */
  readonly ownAccounts: readonly Hex[]
}

/** A signed transfer out of the treasury that does not match the ledger. */
export type UnexpectedOutflow = {
  readonly fault: 'refund_differs' | 'refund_unknown'
  readonly transfer: ChainTransfer
}

/**
 * Reads the treasury's signed transfers since the last call and compares them with the ledger. A
 * refund is signed in the ledger before it is sent, so one that is not there is not ours. The first
 * call only marks where to begin: the history before it is the audit's.
 */
export function createOutflowReader(
  { store, chain }: Pick<PaymentPorts, 'store' | 'chain'>,
  { asset, treasury, ownAccounts }: TreasuryAccounts,
): () => Promise<readonly UnexpectedOutflow[]> {
  const address = lowerHex(treasury)
  const own = new Set(ownAccounts.map(lowerHex))
  let next: number | null = null

  async function judge(transfer: ChainTransfer): Promise<readonly UnexpectedOutflow[]> {
    // A plain transfer is the owner's; whether it leaves enough is checked by the balance.
    if (transfer.nonce === null || lowerHex(transfer.from) !== address) return []
    const refund = await store.loadRefund(transfer.nonce)
    if (refund === undefined) {
      return own.has(lowerHex(transfer.to)) ? [] : [{ fault: 'refund_unknown', transfer }]
    }
    const matches = refund.amount === transfer.value && refund.payer === lowerHex(transfer.to)
    return matches ? [] : [{ fault: 'refund_differs', transfer }]
  }

  return async function readOutflow() {
    const { number: head } = await chain.head()
    const fromBlock = next ?? head + 1
    if (fromBlock > head) {
      next ??= fromBlock
      return []
    }
    const transfers = await chain.transfersOf({ asset, address, fromBlock, toBlock: head })
    const judged = await Promise.all(transfers.map(judge))
    next = head + 1
    return judged.flat()
  }
}
