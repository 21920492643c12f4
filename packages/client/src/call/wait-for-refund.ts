import type { PaymentBody } from '@farebox/api'
import { FareboxError } from '../farebox-error.ts'
import { pause } from '../pay/pause.ts'

export type WaitOptions = {
  /** How long to wait. Defaults to 60. */
  readonly timeoutSeconds?: number
  readonly signal?: AbortSignal
}

const firstPauseMs = 100
const longestPauseMs = 2_000

/**
 * Asks for a payment's record until its refund is decided: confirmed on chain, blocked, accruing
 * until it is worth the gas, or not owed. Throws `refund_pending` after the timeout.
 */
export async function waitForRefund(
  read: (signal: AbortSignal) => Promise<PaymentBody>,
  { timeoutSeconds = 60, signal = new AbortController().signal }: WaitOptions = {},
): Promise<PaymentBody> {
  const deadline = performance.now() + timeoutSeconds * 1_000
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const payment = await read(signal)
    if (isDecided(payment)) return payment
    if (performance.now() + pauseMs > deadline) {
      throw new FareboxError(
        'refund_pending',
        `The refund of payment ${payment.id} was not sent within ${timeoutSeconds} seconds. It is still owed; ask again later.`,
        { paymentId: payment.id },
      )
    }
    await pause(pauseMs, signal)
  }
}

function isDecided({ status, refund }: PaymentBody): boolean {
  if (refund !== null) return refund.status !== 'due' && refund.status !== 'submitted'
  return ['completed', 'failed', 'rejected', 'void'].includes(status)
}
