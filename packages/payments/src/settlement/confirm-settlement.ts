import type { PaymentRecord } from '@farebox/ledger'
import type { PaymentPorts } from '../policy/payment-ports.ts'
import { ChainError } from '../rpc/chain-error.ts'
import { advancePayment } from './advance-payment.ts'
import type { ConfirmationsOf } from './confirmation-cache.ts'
import { readSettlement } from './settlement-verdict.ts'

/** The current state of a proven settlement. */
export type ConfirmedSettlement =
  | { readonly status: 'proven'; readonly confirmations: number; readonly payment: PaymentRecord }
  /** It has left the canonical chain, and `payment` records that. */
  | { readonly status: 'lost'; readonly payment: PaymentRecord }

/**
 * Counts the confirmations of a settlement. One that a reorganization moved is proven again in its
 * new block; one that vanished is recorded as lost.
 *
 * @throws {ChainError} when the node does not answer or does not know the block of a final settlement,
 * and any error of the store.
 */
export async function confirmSettlement(
  ports: PaymentPorts,
  payment: PaymentRecord,
  confirmationsOf: ConfirmationsOf,
): Promise<ConfirmedSettlement> {
  const { settlement } = payment
  if (settlement === null) return { status: 'lost', payment }
  const confirmations = await confirmationsOf(settlement)
  if (confirmations !== 'gone') return { status: 'proven', confirmations, payment }
  if (payment.settlementFinal) {
    // No reorganization goes that deep, and nothing could be sent again.
    const reason = `the node has another block in place of ${settlement.block}, which is final`
    throw new ChainError(`the settlement of ${payment.id}`, { reason })
  }
  return await findMovedSettlement(ports, payment)
}

async function findMovedSettlement(
  ports: PaymentPorts,
  payment: PaymentRecord,
): Promise<ConfirmedSettlement> {
  const { store, chain, clock, policy, notify } = ports
  const verdict = await readSettlement(chain, payment, policy)
  const found = verdict.status === 'proven' || verdict.status === 'early'
  const at = clock()
  const advance = await advancePayment(store, payment, {
    eventFor: (current) => {
      if (current.version !== payment.version) return null
      return found
        ? { type: 'settlement_proven', proof: verdict.proof, at }
        : { type: 'settlement_lost', at }
    },
  })
  if (found) return { status: 'proven', confirmations: 1, payment: advance.payment }
  if (advance.status === 'applied') notify({ type: 'settlement_lost', payment: advance.payment })
  return { status: 'lost', payment: advance.payment }
}
