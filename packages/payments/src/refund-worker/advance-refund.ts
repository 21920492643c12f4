import type { RefundTransfer, RefundTransferEvent } from '@farebox/ledger'
import type { RefundPorts } from './refund-ports.ts'

/** Applies an event to a refund transfer; undefined when another replica changed it first. */
export async function advanceRefund(
  { store }: Pick<RefundPorts, 'store'>,
  transfer: RefundTransfer,
  event: RefundTransferEvent,
): Promise<RefundTransfer | undefined> {
  const outcome = await store.applyToRefund(transfer, event)
  return outcome.status === 'applied' ? outcome.refundTransfer : undefined
}
