import {
  type PendingRefundStatus,
  type PendingRefundTotal,
  pendingRefundStatuses,
  type RefundTransfer,
} from '@farebox/ledger'
import { isUndeliverable } from '@farebox/payments'
import type { RefundVerb } from './decide-refund.ts'
import { type Html, html } from './page/html.ts'
import { short, table, time, usdc } from './page/show.ts'
import { type Unread, unreadNotice } from './page/unread.ts'
import { obstacleText } from './page/what-to-do.ts'
import { pageSize } from './search.ts'

export type RefundsView = {
  readonly status: PendingRefundStatus
  readonly totals: readonly PendingRefundTotal[]
  readonly refunds: readonly RefundTransfer[]
  readonly unread: Unread
}

/** The refunds in one state, the oldest first, with what an operator can decide. */
export function refundsPage(view: RefundsView): Html {
  const { status, totals, refunds, unread } = view
  const tabs = pendingRefundStatuses.map((one) => {
    const { transfers = 0, amount = 0n } = totals.find((total) => total.status === one) ?? {}
    const current = one === status && html` aria-current="page"`
    const count = transfers > 0 && html` <span class="fine">${transfers}, ${usdc(amount)}</span>`
    return html`<a href="/refunds?status=${one}"${current}>${words(one)}${count}</a>`
  })
  return html`<nav class="tabs" aria-label="States of refunds">${tabs}</nav>
${unreadNotice(unread)}
${refunds.length === 0 ? html`<p>No refund is in this state.</p>` : refundTable(refunds)}
${nextPage(view)}`
}

function words(status: string): string {
  return status.replace('_', ' ')
}

function refundTable(refunds: readonly RefundTransfer[]): Html {
  const heads = ['Refund', 'Since', 'To', 'Amount', 'Payments', 'Reason', 'Next attempt', 'Decide']
  return table(
    'Refunds',
    heads,
    refunds.map((refund) => [
      short(refund.nonce),
      time(refund.createdAt),
      html`<a href="/payments?q=${refund.payer}">${short(refund.payer)}</a>`,
      usdc(refund.amount),
      html`<a href="/payments?q=${refund.nonce}">${refund.payments.length}</a>`,
      refund.reason === null ? '–' : obstacleText(refund.reason),
      refund.status === 'written_off' ? '–' : time(refund.nextAttemptAt),
      html`${verbsFor(refund).map((verb) => html`<a href="/refunds/${refund.nonce}/${verb}">${names[verb]}</a> `)}`,
    ]),
  )
}

const names = { retry: 'Retry', 'write-off': 'Write off' } as const

function verbsFor(refund: RefundTransfer): readonly RefundVerb[] {
  if (isUndeliverable(refund)) return ['retry', 'write-off']
  return refund.status === 'blocked' || refund.status === 'written_off' ? ['retry'] : []
}

function nextPage({ status, refunds, unread }: RefundsView): Html | false {
  const last = refunds.at(-1)
  if (last === undefined || refunds.length + unread.length < pageSize) return false
  const query = new URLSearchParams({ status, after: `${last.createdAt}.${last.nonce}` })
  return html`<p class="count"><a href="/refunds?${query.toString()}">Later refunds</a></p>`
}

const effects = {
  retry: 'It will be owed again, and the gateway sends it in its next round.',
  'write-off':
    'The gateway no longer signs or sends it, and stops owing it once its last signature has expired. A retry reverses this.',
} as const

/** Asks before a decision is written to the ledger. */
export function confirmPage(verb: RefundVerb, refund: RefundTransfer): Html {
  const { nonce, amount, payer, reason, status } = refund
  return html`<p>${names[verb]} the refund of <strong>${usdc(amount)}</strong> to <code>${payer}</code>?
It is ${words(status)}${reason !== null && ` (${obstacleText(reason)})`}.</p><p>${effects[verb]}</p>
<p><code>${nonce}</code></p>
<form method="post" action="/refunds/${nonce}/${verb}"><p class="actions">
<button class="button">${names[verb]}</button><a class="button quiet" href="/refunds?status=${status}">Cancel</a></p></form>`
}

/** The result of a decision. */
export function decidedPage(message: string): Html {
  return html`<p role="status">${message}</p><p><a href="/refunds?status=blocked">Back to the refunds</a></p>`
}
