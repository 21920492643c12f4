import type { LedgerStore } from '@farebox/ledger'

/** How many payments are read: replicas may see different heads when they claim. */
const firstPayments = 1_000

/** What the first payments of a ledger show. */
export type Beginning = {
  /** The payees of the first payments. */
  readonly payees: ReadonlySet<string>
  /** The treasury's history begins with the first payments in the ledger. */
  readonly firstBlock: number
}

/** Reads the first payments of a ledger, without rows that cannot be read: the audit names them. */
export async function readBeginning(store: LedgerStore): Promise<Beginning> {
  const payees = new Set<string>()
  const blocks: number[] = []
  for await (const { payment } of store.exportPayments(() => undefined)) {
    blocks.push(payment.intentBlock)
    if (payment.kind === 'sale') payees.add(payment.authorization.to)
    if (blocks.length === firstPayments) break
  }
  return { payees, firstBlock: blocks.length === 0 ? 0 : Math.min(...blocks) }
}
