import type { LedgerStore, RefundTransfer, RefundTransferEvent } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { RefundSender, RefundSigner } from '../chain/chain.ts'
import type { RefundMinimum } from '../refund-plan/refund-minimum.ts'
import type { SettlementPorts } from '../settlement/resolve-settlement.ts'
import type { RefundBreaker } from './refund-breaker.ts'

/** What the parts of the refund worker share. */
export type RefundPorts = SettlementPorts & {
  readonly store: LedgerStore
  readonly sender: RefundSender
  readonly signer: RefundSigner
  readonly breaker: RefundBreaker
  readonly refundMinimum: RefundMinimum
  readonly owner: string
  /** Whether it is time to look for small refunds to batch; true once in a while. */
  readonly isBatchingDue: () => boolean
  readonly confirmations: number
  readonly finalConfirmations: number
  readonly batchSize: number
  readonly roundSize: number
  readonly leaseMs: number
  readonly pollMs: number
  readonly watchMs: number
  readonly resendMs: number
  readonly validitySeconds: number
  readonly maxDelayMs: number
  readonly maxRefund: Usdc | null
  readonly maxPerHour: Usdc | null
}

/** Applies an event to a refund transfer; undefined when another replica changed it first. */
export async function advanceRefund(
  { store }: Pick<RefundPorts, 'store'>,
  transfer: RefundTransfer,
  event: RefundTransferEvent,
): Promise<RefundTransfer | undefined> {
  const outcome = await store.applyToRefund(transfer, event)
  return outcome.status === 'applied' ? outcome.refundTransfer : undefined
}
