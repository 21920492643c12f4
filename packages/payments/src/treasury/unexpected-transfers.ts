import type { Hex } from '@farebox/ledger'
import type { ChainTransfer } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import type { TreasuryFault } from '../events/payment-events.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'

export type TreasuryAccounts = {
  readonly chainId: number
  readonly asset: Hex
  readonly treasury: Hex
  /** Accounts that the owner moves the treasury's money to, by any kind of transfer. */
  readonly ownAccounts: readonly Hex[]
  /** Settles payments, unless a facilitator does. */
  readonly relayer: Hex | undefined
  /** How many blocks before the first check it reads too. */
  readonly lookBackBlocks: number
}

/** A signed transfer to or from the treasury that does not match the ledger. */
export type UnexpectedTransfer = {
  readonly fault: Exclude<TreasuryFault, 'treasury_short'>
  readonly transfer: ChainTransfer
}

type Parts = Pick<PaymentPorts, 'store' | 'chain'> & TreasuryAccounts

/**
 * Reads the treasury's signed transfers since the last call, the first time those of the last
 * `lookBackBlocks`, and compares them with the ledger. The history before is the audit's.
 */
export function createTransferWatch(parts: Parts): () => Promise<readonly UnexpectedTransfer[]> {
  const { chain, asset, lookBackBlocks } = parts
  const address = lowerHex(parts.treasury)
  let next: number | null = null

  return async function readUnexpected() {
    const { number: head } = await chain.head()
    const fromBlock = next ?? Math.max(0, head + 1 - lookBackBlocks)
    if (fromBlock > head) {
      next ??= fromBlock
      return []
    }
    const transfers = await chain.transfersOf({ asset, address, fromBlock, toBlock: head })
    const unexpected: UnexpectedTransfer[] = []
    for (const transfer of transfers) {
      // A plain transfer is the owner's; whether it leaves enough is checked by the balance.
      if (transfer.nonce === null) continue
      const isOut = lowerHex(transfer.from) === address
      const judge = isOut ? judgeRefund : judgeSale
      const fault = await judge(parts, { ...transfer, nonce: transfer.nonce })
      if (fault !== null) unexpected.push({ fault, transfer })
    }
    next = head + 1
    return unexpected
  }
}

type SignedTransfer = ChainTransfer & { readonly nonce: Hex }

/** A refund is signed in the ledger before it is sent, so one that is not there is not ours. */
async function judgeRefund(
  { store, ownAccounts }: Parts,
  { nonce, value, to }: SignedTransfer,
): Promise<UnexpectedTransfer['fault'] | null> {
  const refund = await store.loadRefund(nonce)
  if (refund === undefined) {
    return ownAccounts.map(lowerHex).includes(lowerHex(to)) ? null : 'refund_unknown'
  }
  return refund.amount === value && refund.payer === lowerHex(to) ? null : 'refund_differs'
}

/**
 * A sale is claimed in the ledger before it is settled. A payer may execute an authorization itself,
 * but what the relayer's own key sent was sold here: by a gateway with another ledger.
 */
async function judgeSale(
  { store, chain, chainId, asset, relayer }: Parts,
  { nonce, from, proof }: SignedTransfer,
): Promise<UnexpectedTransfer['fault'] | null> {
  if (relayer === undefined) return null
  const payment = await store.findByAuthorization({ chainId, asset, from, nonce })
  if (payment !== undefined) return null
  const sender = await chain.senderOf(proof.transaction)
  return sender === lowerHex(relayer) ? 'sale_unknown' : null
}
