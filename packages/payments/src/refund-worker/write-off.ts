import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import { advanceRefund, postponeRefund, type RefundPorts } from './refund-ports.ts'
import { bookTransfer, readRefund } from './track-refund.ts'

/** The reason of a blocked refund that its operator gave up, until that is carried out. */
export const writeOffRequested = 'write_off_requested'

/** Whether a refund is signed and sent no more, and only waits for its end. */
export function isGivenUp({ status, reason }: RefundTransfer): boolean {
  return status === 'blocked' && reason === writeOffRequested
}

/**
 * Ends a refund that was given up, when no signature over it can pass any more. Until then one that
 * left us earlier may be delivered yet: then it is booked, and nothing is written off.
 */
export async function writeOffRefund(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const use = await readRefund(ports, refundTransfer, payments)
  if (use.status === 'transferred' && use.to === refundTransfer.payer) {
    await bookTransfer(ports, refundTransfer, use)
  } else if (isDead(ports, refundTransfer, use)) {
    await recordWriteOff(ports, refundTransfer)
  } else {
    await postponeRefund(ports, refundTransfer, lookAgainMs)
  }
}

/** Books what is owed no more until somebody says so; it is told as an alarm. */
export async function recordWriteOff(
  ports: RefundPorts,
  refundTransfer: RefundTransfer,
): Promise<void> {
  const at = ports.clock()
  const ended = await advanceRefund(ports, refundTransfer, { type: 'written_off', at })
  if (ended === undefined) return
  ports.notify({
    type: 'refund_written_off',
    refundTransfer: ended,
    reason: refundTransfer.reason ?? '',
  })
}

const lookAgainMs = 60_000
/** Beyond it no block can come that a signature is still valid in, whatever a clock or a reorg does. */
const marginSeconds = 600

function isDead(
  { clock }: RefundPorts,
  { validBefore }: RefundTransfer,
  use: AuthorizationUse,
): boolean {
  if (validBefore === null) return true
  const now = clock() / 1000
  const chainTime = use.status === 'unused' ? use.head.timestamp : now
  return Math.min(now, chainTime) > validBefore + (use.status === 'unused' ? marginSeconds : 0)
}
