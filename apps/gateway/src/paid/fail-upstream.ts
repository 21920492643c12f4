import type { ErrorResponse } from '@farebox/http'
import { formatUsdc } from '@farebox/money'
import type { PaymentGate } from '@farebox/payments'
import type { UpstreamError, UpstreamErrorCode } from '@farebox/provider-proxy'
import type { RouteError, Served } from './paid-endpoint.ts'
import { type AnswerKeeping, keepAnswer } from './recorded-answer.ts'

export type FailUpstreamDeps = {
  readonly gate: PaymentGate
  readonly keeping: AnswerKeeping
  readonly errorAnswer: (error: RouteError) => ErrorResponse
}

type Outcome = {
  readonly status: 500 | 503
  readonly code: 'upstream_unavailable' | 'upstream_rejected' | 'upstream_timeout'
  readonly says: string
}

const outcomes: Readonly<Record<UpstreamErrorCode, Outcome>> = {
  upstream_unavailable: { status: 503, code: 'upstream_unavailable', says: 'The provider failed' },
  upstream_rejected: {
    status: 500,
    code: 'upstream_rejected',
    says: 'The provider refused the request',
  },
  upstream_timeout: {
    status: 503,
    code: 'upstream_timeout',
    says: 'The provider did not answer in time',
  },
  upstream_truncated: {
    status: 503,
    code: 'upstream_unavailable',
    says: 'The provider broke off before anything was delivered',
  },
  aborted: {
    status: 503,
    code: 'upstream_unavailable',
    says: 'The service stopped before anything was delivered',
  },
}

/** Answers a provider's failure before the first delivered byte: everything goes back, and the body says so. */
export async function failUpstream(
  error: UpstreamError,
  { payment, response, headers }: Served,
  { gate, keeping, errorAnswer }: FailUpstreamDeps,
): Promise<void> {
  const { status, code, says } = outcomes[error.code]
  const refund = formatUsdc(payment.authorization.value)
  const message = `${says}. Payment ${payment.id} cost nothing: ${refund} USDC, all of it, is refunded to ${payment.authorization.from}.`
  const { body } = errorAnswer({ status, code, message })
  const text = JSON.stringify({ ...body, payment: refunded(payment) })
  const contentType = 'application/json; charset=utf-8'
  const answer = keepAnswer({ statusCode: status, contentType, body: text }, keeping)
  await gate.fail(payment, { reason: code, answer })
  response
    .status(status)
    .set(headers)
    .set({ 'Content-Type': contentType, 'Cache-Control': 'private, no-store' })
    .end(text)
}

function refunded({ id, authorization }: Served['payment']): Readonly<Record<string, unknown>> {
  const paid = { usdc: authorization.value.toString(), usd: formatUsdc(authorization.value) }
  return {
    id,
    status: 'failed',
    payer: authorization.from,
    paid,
    cost: { usdc: '0', usd: '0' },
    refund: paid,
  }
}
