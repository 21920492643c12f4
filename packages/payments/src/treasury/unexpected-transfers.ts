import type { Hex } from '@farebox/ledger'
import type { ChainTransfer } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import type { TreasuryFault } from '../events/payment-events.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import { soldElsewhere } from '../settlement/sale-mark.ts'

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
  /**
   * How many blocks each check reads again: the newest may be replaced, and a node may know a block
   * before its logs.
   */
  readonly rereadBlocks: number
}

type SignedTransfer = ChainTransfer & { readonly nonce: Hex }

/** A signed transfer to or from the treasury that does not match the ledger. */
export type UnexpectedTransfer = {
  readonly fault: Extract<TreasuryFault, 'refund_differs' | 'refund_unknown' | 'sale_unknown'>
  readonly transfer: ChainTransfer
}

type Parts = Pick<PaymentPorts, 'store' | 'chain'> & TreasuryAccounts

/**
 * Reads the treasury's signed transfers since the last call and those of `rereadBlocks` before it,
 * the first time those of the last `lookBackBlocks`, and compares them with the ledger. The audit
 * covers the history before that.
 */
export function createTransferWatch(parts: Parts): () => Promise<readonly UnexpectedTransfer[]> {
  const { chain, asset, lookBackBlocks, rereadBlocks } = parts
  const address = lowerHex(parts.treasury)
  let first: number | null = null
  let next = 0

  return async function readUnexpected() {
    const { number: head } = await chain.head()
    first ??= Math.max(0, head + 1 - lookBackBlocks)
    const fromBlock = Math.max(first, next - rereadBlocks)
    if (fromBlock > head) return []
    const transfers = await chain.transfersOf({ asset, address, fromBlock, toBlock: head })
    // A plain transfer is made by the owner; the balance check shows whether it leaves enough.
    const signed = transfers.flatMap(({ nonce, ...transfer }) =>
      nonce === null ? [] : [{ ...transfer, nonce }],
    )
    const isOut = ({ from }: ChainTransfer): boolean => lowerHex(from) === address
    const unexpected = [
      ...(await judgeRefunds(parts, signed.filter(isOut))),
      ...(await judgeSales(
        parts,
        signed.filter((transfer) => !isOut(transfer)),
      )),
    ]
    next = head + 1
    return unexpected
  }
}

/** A refund is signed in the ledger before it is sent, so one that is not there is not ours. */
async function judgeRefunds(
  { store, ownAccounts }: Parts,
  transfers: readonly SignedTransfer[],
): Promise<readonly UnexpectedTransfer[]> {
  const terms = await store.refundTerms(transfers.map(({ nonce }) => nonce))
  const refunds = new Map(terms.map((refund) => [refund.nonce, refund]))
  const own = new Set(ownAccounts.map(lowerHex))
  return transfers.flatMap((transfer): readonly UnexpectedTransfer[] => {
    const { nonce, value } = transfer
    const to = lowerHex(transfer.to)
    const refund = refunds.get(lowerHex(nonce))
    if (refund === undefined) return own.has(to) ? [] : [{ fault: 'refund_unknown', transfer }]
    const isSame = refund.amount === value && refund.payer === to
    return isSame ? [] : [{ fault: 'refund_differs', transfer }]
  })
}

/**
 * A sale is claimed in the ledger before it is settled. A payer may execute an authorization itself,
 * but what the relayer's own key sent was sold here: by a gateway with another ledger.
 */
async function judgeSales(
  { store, chain, chainId, asset, relayer }: Parts,
  transfers: readonly SignedTransfer[],
): Promise<readonly UnexpectedTransfer[]> {
  if (relayer === undefined) return []
  const claims = await store.claimsOf(
    transfers.map(({ from, nonce }) => ({ chainId, asset, from, nonce })),
  )
  const unexpected: UnexpectedTransfer[] = []
  for (const [index, transfer] of transfers.entries()) {
    const claim = claims[index]
    if (claim !== undefined && claim.reason !== soldElsewhere) continue
    const transaction = await chain.transactionOf(transfer.proof.transaction)
    if (transaction?.from === lowerHex(relayer))
      unexpected.push({ fault: 'sale_unknown', transfer })
  }
  return unexpected
}
