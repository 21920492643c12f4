import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { ConfirmationsOf } from '../settlement/confirmation-cache.ts'
import { readRefund } from './read-refund.ts'
import type { RefundOutcome } from './refund-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'

/** Whether a confirmed refund is final; one that a reorganisation removed is looked up again. */
export async function checkFinality(
  ports: RefundPorts,
  transfer: RefundTransfer,
  round: {
    readonly payments: readonly PaymentRecord[]
    readonly confirmationsOf: ConfirmationsOf
  },
): Promise<RefundOutcome> {
  const { proof } = transfer
  const confirmations = proof === null ? 'gone' : await round.confirmationsOf(proof)
  if (confirmations === 'gone') {
    return { status: 'lost', use: await readRefund(ports, transfer, round.payments) }
  }
  return confirmations >= ports.finalConfirmations
    ? { status: 'final' }
    : { status: 'retry_later', delayMs: ports.watchMs }
}
