import type { PaymentRecord, Payout } from '@farebox/ledger'
import type { AuthorizationUse } from '../chain/chain.ts'
import { advancePayout, postponePayout, type RefundPorts } from './refund-ports.ts'
import { bookTransfer, readPayout } from './track-refund.ts'

/** The reason of a blocked refund that its operator gave up, until that is carried out. */
export const writeOffRequested = 'write_off_requested'

/** Whether a refund is signed and sent no more, and only waits for its end. */
export function isGivenUp({ status, reason }: Payout): boolean {
  return status === 'blocked' && reason === writeOffRequested
}

/**
 * Ends a refund that was given up, when no signature over it can pass any more. Until then one that
 * left us earlier may be delivered yet: then it is booked, and nothing is written off.
 */
export async function writeOffPayout(
  ports: RefundPorts,
  payout: Payout,
  payments: readonly PaymentRecord[],
): Promise<void> {
  const use = await readPayout(ports, payout, payments)
  if (use.status === 'transferred' && use.to === payout.payer) {
    await bookTransfer(ports, payout, use)
  } else if (isDead(ports, payout, use)) {
    await recordWriteOff(ports, payout)
  } else {
    await postponePayout(ports, payout, lookAgainMs)
  }
}

/** Books what is owed no more until somebody says so; it is told as an alarm. */
export async function recordWriteOff(ports: RefundPorts, payout: Payout): Promise<void> {
  const at = ports.clock()
  const ended = await advancePayout(ports, payout, { type: 'written_off', at })
  if (ended === undefined) return
  ports.notify({ type: 'refund_written_off', payout: ended, reason: payout.reason ?? '' })
}

const lookAgainMs = 60_000
/** Beyond it no block can come that a signature is still valid in, whatever a clock or a reorg does. */
const marginSeconds = 600

function isDead({ clock }: RefundPorts, { validBefore }: Payout, use: AuthorizationUse): boolean {
  if (validBefore === null) return true
  const now = clock() / 1000
  const chainTime = use.status === 'unused' ? use.head.timestamp : now
  return Math.min(now, chainTime) > validBefore + (use.status === 'unused' ? marginSeconds : 0)
}
