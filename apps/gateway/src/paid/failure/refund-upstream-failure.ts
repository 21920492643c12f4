import { clientAddress, noteErrorReason } from '@farebox/http'
import type { PaymentRecord } from '@farebox/ledger'
import { formatUsdc } from '@farebox/money'
import type { PaymentGate } from '@farebox/payments'
import type { UpstreamError } from '@farebox/provider-proxy'
import { type Ending, finish, keptAnswer } from '../ending.ts'
import { lastEvent } from '../error-event.ts'
import type { PaidCall, PaidEndpoint } from '../paid-endpoint.ts'
import { amountBody } from '../quote/amount-body.ts'
import { withReceiptOf } from '../stream-response.ts'
import { provokedCost } from './provoked-cost.ts'
import { upstreamFailures } from './upstream-failures.ts'

export type RefundUpstreamFailureDeps = {
  readonly gate: Pick<PaymentGate, 'fail'>
  readonly endpoint: Pick<PaidEndpoint<never, never>, 'errorResponse'>
}

/** Refunds a provider's failure before the first byte in full, and states it in the response. */
export async function refundUpstreamFailure(
  error: UpstreamError,
  { payment, response, observation }: PaidCall,
  { gate, endpoint }: RefundUpstreamFailureDeps,
): Promise<void> {
  const { status, code, text, advice, mayBeProvoked } = upstreamFailures[error.code]
  const message = `${text}. Payment ${payment.id} cost nothing: all of it, ${returned(payment)}. ${advice}`
  const { body } = endpoint.errorResponse({ status, code, message })
  const failure = { ...body, payment: refunded(payment) }
  const ending: Ending = { type: 'json', statusCode: status, body: JSON.stringify(failure) }
  const failed = await gate.fail(payment, {
    reason: code,
    answer: keptAnswer(ending),
    ...(mayBeProvoked && {
      faultOf: 'payer',
      ...(mayBeProvoked === 'billed' && { unpaidCost: provokedCost(payment.authorization.value) }),
      clientAddress: clientAddress(response.req),
    }),
  })
  observation.setPayment(failed.payment)
  noteErrorReason(response, code)
  finish(response, response.headersSent ? lastEvent(failure) : ending, withReceiptOf(failed))
}

function returned({ kind, authorization: { from, value } }: PaymentRecord): string {
  const amount = `${formatUsdc(value)} USDC`
  return kind === 'channel_call'
    ? `${amount}, stays in the payment channel of ${from}`
    : `${amount}, is refunded to ${from}`
}

function refunded({ id, authorization }: PaymentRecord): Readonly<Record<string, unknown>> {
  const paid = amountBody(authorization.value)
  return {
    id,
    status: 'failed',
    payer: authorization.from,
    paid,
    cost: { usdc: '0', usd: '0' },
    refund: paid,
  }
}
