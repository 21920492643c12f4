import type { PaymentBody } from '@farebox/api'
import { FareboxError } from '../farebox-error.ts'
import { refuseUnknown } from '../invalid-option.ts'
import { pause } from '../pay/pause.ts'
import type { FreeOptions } from './calls.ts'
import { milliseconds } from './milliseconds.ts'

export type WaitOptions = {
  /** How long to wait. Defaults to 60. */
  readonly timeoutSeconds?: number
  readonly signal?: AbortSignal
}

const firstPauseMs = 100
const maxPauseMs = 2_000
/** How long a request may take, and how long the last one may. */
const maxReadMs = 30_000
const lastMs = 5_000

/**
 * Asks for a payment's record until its refund is decided: confirmed on chain, blocked, accruing
 * until it is worth the gas, or not owed. Throws `refund_pending` after the timeout.
 */
export async function waitForRefund(
  id: string,
  read: (options: FreeOptions) => Promise<PaymentBody>,
  { timeoutSeconds = 60, signal = new AbortController().signal, ...unknown }: WaitOptions = {},
): Promise<PaymentBody> {
  refuseUnknown('call', unknown)
  const deadline = performance.now() + milliseconds('timeoutSeconds', timeoutSeconds)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const isLast = performance.now() + pauseMs > deadline
    const timeoutMs = isLast ? lastMs : Math.min(deadline - performance.now(), maxReadMs)
    const payment = await read({ signal, timeoutMs }).catch((error: unknown) => {
      if (isLast || !isTransient(error)) throw error
      return undefined
    })
    if (payment !== undefined && isDecided(payment)) return payment
    if (performance.now() + pauseMs > deadline) throw pending(id, timeoutSeconds)
    await pause(pauseMs, signal)
  }
}

/** Whether it may work later: the gateway is restarting, or is asked too often. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof FareboxError)) return false
  const { code, status = 0 } = error
  return (
    code === 'connection_failed' || code === 'connection_lost' || status === 429 || status >= 500
  )
}

function pending(id: string, timeoutSeconds: number): FareboxError {
  return new FareboxError(
    'refund_pending',
    `The refund of payment ${id} was not sent within ${timeoutSeconds} s. It is still owed; ask again later.`,
    { paymentId: id },
  )
}

function isDecided({ status, refund }: PaymentBody): boolean {
  if (refund !== null) return refund.status !== 'due' && refund.status !== 'submitted'
  return ['completed', 'failed', 'rejected', 'void'].includes(status)
}
