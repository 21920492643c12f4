import type { PaymentRecord, RefundTransfer, RefundTransferEvent } from '@farebox/ledger'
import type { RefundSender, RefundSigner } from '../chain/chain.ts'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import type { RefundBreaker } from './refund-breaker.ts'

/** What the parts of the refund worker share. */
export type RefundPorts = PaymentPorts & {
  readonly sender: RefundSender
  readonly signer: RefundSigner
  readonly breaker: RefundBreaker
  /** Whether this round batches small refunds. Once true, it is false until the interval is over. */
  readonly takeBatchingTurn: () => boolean
}

/** A refund transfer, with its payments where they have been loaded. */
export type LoadedRefund = {
  readonly transfer: RefundTransfer
  readonly payments?: readonly PaymentRecord[] | undefined
}

/** Applies an event to a refund transfer; undefined when another replica changed it first. */
export async function advanceRefund(
  { store }: Pick<RefundPorts, 'store'>,
  { transfer, payments }: LoadedRefund,
  event: RefundTransferEvent,
): Promise<RefundTransfer | undefined> {
  const outcome = await store.applyToRefund(transfer, event, payments)
  return outcome.status === 'applied' ? outcome.transfer : undefined
}
