import { countOf } from '@farebox/api'
import type { GasPaid, LedgerEntry, PaymentRecord, RefundTransfer } from '@farebox/ledger'
import { type Html, html } from './page/html.ts'
import { eth, short, table, terms, time, transaction, usdc } from './page/show.ts'
import { obstacleText } from './page/what-to-do.ts'

/** Everything in the ledger about one payment. */
export type PaymentHistory = {
  readonly payment: PaymentRecord
  readonly entries: readonly LedgerEntry[]
  readonly transfer: RefundTransfer | undefined
  /** What its transactions cost, except those that others paid for. */
  readonly gas: { readonly settlement?: GasPaid | undefined; readonly refund?: GasPaid | undefined }
}

/** A payment's history as JSON: without the signatures, which could still be sent. */
export function publicHistory({ payment, entries, transfer, gas }: PaymentHistory) {
  const { payload: _payload, ...record } = payment
  if (transfer === undefined) return { payment: record, entries, transfer: null, gas }
  const { signature: _signature, ...sent } = transfer
  return { payment: record, entries, transfer: sent, gas }
}

/** The record, its entries and its refund. */
export function paymentPage(history: PaymentHistory, explorer: string | null): Html {
  const { payment, entries } = history
  return html`<p class="model-id"><code>${payment.id}</code></p>
<section><h2>Record</h2>${record(history, explorer)}</section>
<section><h2>Entries</h2>${entries.length === 0 ? html`<p>No money has moved.</p>` : entryTable(entries)}</section>
<section><h2>Refund</h2>${refund(history, explorer)}</section>`
}

function record({ payment, gas }: PaymentHistory, explorer: string | null): Html {
  const { authorization, settlement, settlementHint, usage, lease } = payment
  return terms([
    ['Status', payment.reason === null ? payment.status : `${payment.status}: ${payment.reason}`],
    ['Created', time(payment.createdAt)],
    ['Changed', time(payment.updatedAt)],
    ['Kind', payment.kind === 'sale' ? null : payment.kind.replace('_', ' ')],
    [
      'Channel',
      payment.channelId &&
        html`<a href="/channels/${payment.channelId}"><code>${payment.channelId}</code></a>`,
    ],
    ['Model', payment.model],
    ['Resource', payment.resource],
    [
      'Payer',
      html`<a href="/payments?q=${authorization.from}"><code>${authorization.from}</code></a>`,
    ],
    [payment.kind === 'channel_call' ? 'Ceiling' : 'Authorized', usdc(authorization.value)],
    ['Valid until', time(authorization.validBefore * 1000)],
    ['Nonce', html`<code>${authorization.nonce}</code>`],
    ['Cost', payment.cost === null ? null : usdc(payment.cost)],
    ['Provider bills', payment.providerCost === null ? null : usdc(payment.providerCost)],
    ['Usage', usage === null ? null : usageText(usage)],
    ['Settlement', settlement && transaction(settlement.transaction, explorer)],
    ['Gas', gasText(gas.settlement)],
    ['Block', settlement && `${settlement.block}${payment.settlementFinal ? ', final' : ''}`],
    [
      'Sent in',
      settlement === null && settlementHint ? transaction(settlementHint, explorer) : null,
    ],
    ['Network', payment.network],
    ['Price version', payment.priceVersion],
    ['Client’s payment id', payment.clientPaymentId],
    ['Leased by', lease && html`${lease.owner} until ${time(lease.until)}`],
  ])
}

function usageText(usage: NonNullable<PaymentRecord['usage']>): string {
  const { source, inputTokens, outputTokens, images } = usage
  const counts = [
    inputTokens !== undefined && `${countOf(inputTokens, 'token')} in`,
    outputTokens !== undefined && `${countOf(outputTokens, 'token')} out`,
    images !== undefined && countOf(images, 'image'),
  ]
  return `${counts.filter(Boolean).join(', ')} (${source})`
}

function entryTable(entries: readonly LedgerEntry[]): Html {
  const rows = entries.map(({ at, debit, credit, amount }) => [
    time(at),
    debit.replace('_', ' '),
    credit.replace('_', ' '),
    usdc(amount),
  ])
  return table('Entries', ['At', 'Debit', 'Credit', 'Amount'], rows)
}

/** A transaction may be for several payments: it is shown as a whole. */
function gasText(paid: GasPaid | undefined): string | null {
  return paid === undefined
    ? null
    : `${paid.gas.toLocaleString('en')} units, ${eth(paid.fee)} ETH for the transaction`
}

function refund({ payment, transfer, gas }: PaymentHistory, explorer: string | null): Html {
  if (payment.refund === null) return html`<p>Nothing is refunded.</p>`
  const { amount, status } = payment.refund
  const own = terms([
    ['Amount', usdc(amount)],
    ['Status', refundWords[status] ?? status],
  ])
  return transfer === undefined
    ? own
    : html`${own}${transferTerms(transfer, { gas: gas.refund, explorer })}`
}

const refundWords: Readonly<Record<string, string>> = {
  accruing: 'accruing: it waits for a batch',
  released: 'released: it stays in the channel',
}

function transferTerms(
  transfer: RefundTransfer,
  { gas, explorer }: { readonly gas: GasPaid | undefined; readonly explorer: string | null },
): Html {
  const { nonce, status, reason, attempts, proof, payments } = transfer
  const sent = proof?.transaction ?? transfer.transaction
  const isOpen = status !== 'final' && status !== 'confirmed'
  return html`<h3>Transfer</h3>${terms([
    ['Status', reason === null ? status : `${status}: ${obstacleText(reason)}`],
    ['Amount', `${usdc(transfer.amount)} for ${countOf(payments.length, 'payment')}`],
    ['Nonce', html`<code>${nonce}</code>`],
    ['Transaction', sent === null ? null : transaction(sent, explorer)],
    ['Gas', gasText(gas)],
    ['Block', proof && String(proof.block)],
    ['Attempts', String(attempts)],
    ['Next attempt', isOpen && status !== 'written_off' ? time(transfer.nextAttemptAt) : null],
  ])}${payments.length > 1 && html`<details><summary>All payments</summary><ul>${payments.map((id) => html`<li><a href="/payments/${id}">${short(id)}</a></li>`)}</ul></details>`}`
}
