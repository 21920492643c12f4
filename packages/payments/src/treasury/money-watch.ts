import type { Hex, LedgerStore } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { ChainReader, ChainTransfer } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import type { MoneyFault, Observer } from '../events/payment-events.ts'

export type MoneyWatchOptions = {
  readonly store: Pick<LedgerStore, 'refundTotals' | 'loadRefund'>
  readonly chain: Pick<ChainReader, 'head' | 'balanceOf' | 'transfersOf'>
  readonly asset: Hex
  readonly treasury: Hex
  readonly clock: () => number
  readonly notify: Observer
  /** Accounts that the treasury's money is moved to by its owner, by whatever kind of transfer. */
  readonly ownAccounts: readonly Hex[]
  /** How often it looks. */
  readonly everyMs: number
}

/**
 * Holds the treasury against the ledger and says when selling has to stop, and when it may go on: a
 * treasury that is short again covers what it owes once it is topped up; a transfer that should not
 * be stays a fault as long as this process lives.
 *
 * It reads no more than the blocks since its last look, and begins with the one of its first: the
 * whole history is the audit's. The first look is at once.
 */
export function createMoneyWatch(options: MoneyWatchOptions): () => Promise<void> {
  const { clock, notify, everyMs } = options
  const outflow = createOutflowWatch(options)
  const faults = new Set<MoneyFault>()
  let lookedAt = Number.NEGATIVE_INFINITY

  function raise(reason: MoneyFault, details: MoneyFaultDetails): void {
    if (faults.has(reason)) return
    faults.add(reason)
    notify({ type: 'sales_stopped', reason, ...details })
  }

  return async function watchMoney() {
    if (clock() - lookedAt < everyMs) return
    lookedAt = clock()
    const shortage = await readShortage(options)
    if (shortage !== null) raise('treasury_short', shortage)
    else if (faults.delete('treasury_short')) {
      notify({ type: 'sales_resumed', reason: 'treasury_short' })
    }
    for (const { fault, transfer } of await outflow()) {
      raise(fault, { transaction: transfer.proof.transaction })
    }
  }
}

type MoneyFaultDetails =
  | { readonly balance: Usdc; readonly owed: bigint }
  | { readonly transaction: Hex }

/**
 * The debt is read before and after the balance, which must not cover either: neither a refund that
 * leaves in between nor a payment that comes looks like a shortage.
 */
async function readShortage({ store, chain, asset, treasury, clock }: MoneyWatchOptions) {
  const { unsent: before } = await store.refundTotals(clock())
  const balance = await chain.balanceOf(asset, treasury)
  if (balance >= before) return null
  const { unsent: owed } = await store.refundTotals(clock())
  return balance < owed ? { balance, owed } : null
}

type Outflow = {
  readonly fault: 'refund_differs' | 'refund_unknown'
  readonly transfer: ChainTransfer
}

/** A refund is signed in the ledger before it is sent: one that is seen and not known is not ours. */
function createOutflowWatch({ store, chain, asset, treasury, ownAccounts }: MoneyWatchOptions) {
  const address = lowerHex(treasury)
  const own = new Set(ownAccounts.map(lowerHex))
  let next: number | null = null

  async function judge(transfer: ChainTransfer): Promise<readonly Outflow[]> {
    // What the owner moves by hand is no authorisation; that it leaves enough is judged above.
    if (transfer.nonce === null || lowerHex(transfer.from) !== address) return []
    const refundTransfer = await store.loadRefund(transfer.nonce)
    if (refundTransfer === undefined) {
      return own.has(lowerHex(transfer.to)) ? [] : [{ fault: 'refund_unknown', transfer }]
    }
    const isAgreed =
      refundTransfer.amount === transfer.value && refundTransfer.payer === lowerHex(transfer.to)
    return isAgreed ? [] : [{ fault: 'refund_differs', transfer }]
  }

  return async function readOutflow(): Promise<readonly Outflow[]> {
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
