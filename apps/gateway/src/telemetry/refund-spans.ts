import type { RefundTransfer } from '@farebox/ledger'
import type { Observer } from '@farebox/payments'
import {
  type Attributes,
  ROOT_CONTEXT,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { PaymentContexts } from './payment-contexts.ts'

export type RefundSpansOptions = {
  readonly tracer: Tracer
  readonly contexts: Pick<PaymentContexts, 'of'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The most payments of a batch that its span names and is linked to. */
const maxLinks = 100

/**
 * A span for each refund transfer, from its signature until it is confirmed or blocked. The refund
 * of one payment is in the trace of its request; that of a batch is a separate trace with a link
 * to each.
 */
export function refundSpans({ tracer, contexts, now }: RefundSpansOptions): Observer {
  function record(transfer: RefundTransfer, more: Attributes): void {
    const known = transfer.payments.slice(0, maxLinks).flatMap((id) => contexts.of(id) ?? [])
    const isBatch = transfer.payments.length > 1
    const [request] = isBatch ? [] : known
    const endedAt = now()
    const span = tracer.startSpan(
      'refund',
      {
        startTime: transfer.signedAt ?? endedAt,
        links: isBatch ? known.map((context) => ({ context })) : [],
        attributes: { ...refundAttributes(transfer), ...more },
      },
      request === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, request),
    )
    if (more['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endedAt)
  }
  return (notice) => {
    if (notice.type === 'refund_confirmed') record(notice.transfer, {})
    if (notice.type === 'refund_blocked') record(notice.transfer, { 'error.type': notice.reason })
  }
}

function refundAttributes({ payments, nonce, amount, transaction }: RefundTransfer): Attributes {
  return {
    'farebox.refund.nonce': nonce,
    'farebox.refund.amount': Number(amount),
    'farebox.refund.payments': payments.slice(0, maxLinks),
    'farebox.refund.payment_count': payments.length,
    ...(transaction !== null && { 'farebox.refund.transaction': transaction }),
  }
}
