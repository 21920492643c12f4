import type { PaymentRecord, RefundTransfer } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import { readRefund } from './read-refund.ts'
import type { RefundOutcome } from './refund-outcome.ts'
import type { RefundPorts } from './refund-ports.ts'

/** The reason of a blocked refund whose operator asked to write it off, until that is done. */
export const writeOffRequested = 'write_off_requested'

/** Whether a refund is no longer signed or sent, and only waits to be written off. */
export function isWriteOffRequested({ status, reason }: RefundTransfer): boolean {
  return status === 'blocked' && reason === writeOffRequested
}

const lookAgainMs = 60_000

/**
 * Writes a refund off once no signature over it can be executed any more. Until then one that was
 * sent earlier may still be delivered: then it is booked, and nothing is written off.
 */
export async function checkWriteOff(
  ports: RefundPorts,
  transfer: RefundTransfer,
  payments: readonly PaymentRecord[],
): Promise<RefundOutcome> {
  const use = await readRefund(ports, transfer, payments)
  if (use.status === 'transferred' && use.to === transfer.payer) {
    return { status: 'transferred', use }
  }
  return isSignatureExpired(ports, transfer, use)
    ? { status: 'written_off' }
    : { status: 'retry_later', delayMs: lookAgainMs }
}

/** After this no block can come in which the signature is valid, despite clock skew and reorgs. */
const marginSeconds = 600

function isSignatureExpired(
  { clock }: RefundPorts,
  { validBefore }: RefundTransfer,
  use: AuthorizationUse,
): boolean {
  if (validBefore === null) return true
  const now = clock() / 1000
  const chainTime = use.status === 'unused' ? use.head.timestamp : now
  return Math.min(now, chainTime) > validBefore + (use.status === 'unused' ? marginSeconds : 0)
}
