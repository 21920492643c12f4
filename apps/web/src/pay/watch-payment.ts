import type { PaymentBody } from '@farebox/api'
import { callService } from '../service/call-service.ts'
import { pause } from './pause.ts'

/** Whether nothing about the payment will change any more, or not soon. */
function isFinal({ status, refund }: PaymentBody): boolean {
  if (status === 'rejected' || status === 'void') return true
  if (status !== 'completed' && status !== 'failed') return false
  return refund === null || ['confirmed', 'accruing', 'blocked', 'released'].includes(refund.status)
}

const firstPauseMs = 700
const maxPauseMs = 5_000

/** Shows each state of a payment until it is final, at growing intervals. */
export async function watchPayment(
  id: string,
  signal: AbortSignal,
  onChange: (payment: PaymentBody) => void,
): Promise<void> {
  let pauseMs = firstPauseMs
  while (!signal.aborted) {
    const reply = await callService<PaymentBody>({ path: `v1/payments/${id}`, signal })
    if (reply.status === 'ok') {
      onChange(reply.body)
      if (isFinal(reply.body)) return
    }
    const wait = reply.status === 'refused' ? (reply.retryMs ?? pauseMs) : pauseMs
    await pause(wait, signal)
    pauseMs = Math.min(pauseMs * 1.4, maxPauseMs)
  }
}
