import type { PaymentRecord } from '@farebox/ledger'
import { formatUsdc } from '@farebox/money'
import type { PaymentGate } from '@farebox/payments'
import type { UpstreamError, UpstreamErrorCode } from '@farebox/provider-proxy'
import { type Ending, finish, keptAnswer } from './ending.ts'
import { errorEvent } from './error-event.ts'
import type { PaidCall, PaidEndpoint } from './paid-endpoint.ts'
import { amountBody } from './quote/amount-body.ts'

export type RefundUpstreamFailureDeps = {
  readonly gate: Pick<PaymentGate, 'fail'>
  readonly endpoint: Pick<PaidEndpoint<never, never>, 'errorResponse'>
}

type Failure = {
  readonly status: 500 | 503
  readonly code: 'upstream_unavailable' | 'upstream_rejected' | 'upstream_timeout'
  readonly text: string
}

const failures: Readonly<Record<UpstreamErrorCode, Failure>> = {
  upstream_unavailable: { status: 503, code: 'upstream_unavailable', text: 'The provider failed' },
  upstream_rejected: {
    status: 500,
    code: 'upstream_rejected',
    text: 'The provider refused the request',
  },
  upstream_timeout: {
    status: 503,
    code: 'upstream_timeout',
    text: 'The provider did not respond in time',
  },
  upstream_truncated: {
    status: 503,
    code: 'upstream_unavailable',
    text: 'The provider disconnected before anything was delivered',
  },
  aborted: {
    status: 503,
    code: 'upstream_unavailable',
    text: 'The service stopped before anything was delivered',
  },
}

/** Refunds a provider's failure before the first byte in full, and states it in the response. */
export async function refundUpstreamFailure(
  error: UpstreamError,
  { payment, response, observation }: PaidCall,
  { gate, endpoint }: RefundUpstreamFailureDeps,
): Promise<void> {
  const { status, code, text } = failures[error.code]
  const message = `${text}. Payment ${payment.id} cost nothing: all of it, ${returned(payment)}.`
  const { body } = endpoint.errorResponse({ status, code, message })
  const failure = { ...body, payment: refunded(payment) }
  const ending: Ending = { type: 'json', statusCode: status, body: JSON.stringify(failure) }
  const failed = await gate.fail(payment, {
    reason: code,
    answer: keptAnswer(ending),
    ...(code === 'upstream_rejected' && { faultOf: 'payer' }),
  })
  observation.pay(failed.payment)
  finish(response, response.headersSent ? lastEvent(failure) : ending, failed)
}

function returned({ kind, authorization: { from, value } }: PaymentRecord): string {
  const amount = `${formatUsdc(value)} USDC`
  return kind === 'channel_call'
    ? `${amount}, stays in the payment channel of ${from}`
    : `${amount}, is refunded to ${from}`
}

/** For a stream that was begun to keep the connection alive. A repeat gets the error as JSON. */
function lastEvent(failure: object): Ending {
  return { type: 'stream', sent: '', rest: () => errorEvent(failure) }
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
