import { type PaymentRecord, paymentStatuses } from '@farebox/ledger'
import { formatUsdc } from '@farebox/money'
import { type Html, html } from './page/html.ts'
import { short, table, time } from './page/show.ts'
import { type Unread, unreadNotice } from './page/unread.ts'
import { cursorText, pageSize, type SearchForm } from './search.ts'

export type PaymentsView = {
  readonly form: SearchForm
  readonly payments: readonly PaymentRecord[]
  readonly unread: Unread
  /** What is wrong with the form. */
  readonly problem?: string
}

/** The search form and one page of what it found. */
export function paymentsPage(view: PaymentsView): Html {
  const { form, payments, unread, problem } = view
  return html`${searchFields(form)}
${problem !== undefined && html`<p class="notice" role="alert">${problem}</p>`}
${unreadNotice(unread)}
${problem === undefined && payments.length === 0 && html`<p class="count">No payment was found.</p>`}
${payments.length > 0 && paymentTable(payments)}
${nextPage(view)}`
}

function searchFields({ q, model, status, from, to }: SearchForm): Html {
  return html`<form class="filters" method="get" action="/payments" role="search">
<label class="field grow"><span>Find</span><input name="q" value="${q}" placeholder="payment id, payer or transaction" spellcheck="false"></label>
<label class="field"><span>Model</span><input name="model" value="${model}" spellcheck="false"></label>
<label class="field"><span>Status</span><select name="status"><option value="">any</option>${paymentStatuses.map(
    (one) => html`<option${one === status && html` selected`}>${one}</option>`,
  )}</select></label>
<label class="field"><span>From</span><input type="date" name="from" value="${from}"></label>
<label class="field"><span>To</span><input type="date" name="to" value="${to}"></label>
<p class="actions"><button class="button">Search</button></p>
</form>`
}

/** Payments as rows, each with a link to its page. */
function paymentTable(payments: readonly PaymentRecord[]): Html {
  const heads = ['Payment', 'Created', 'Model', 'Payer', 'Status', 'Paid, USDC', 'Cost', 'Refund']
  return table(
    'Payments',
    heads,
    payments
      .filter(isShown)
      .map((payment) => [
        html`<a href="/payments/${payment.id}">${short(payment.id)}</a>`,
        time(payment.createdAt),
        payment.kind === 'channel_deposit' ? 'deposit into a channel' : payment.model,
        html`<a href="/payments?q=${payment.authorization.from}">${short(payment.authorization.from)}</a>`,
        payment.reason === null ? payment.status : `${payment.status} (${payment.reason})`,
        isPaid(payment) ? formatUsdc(payment.authorization.value) : '–',
        payment.cost === null || payment.kind === 'channel_deposit'
          ? '–'
          : formatUsdc(payment.cost),
        payment.refund === null
          ? '–'
          : `${formatUsdc(payment.refund.amount)} ${payment.refund.status}`,
      ]),
  )
}

/** The call that carries a top-up costs nothing, and its deposit is listed already. */
function isShown({ kind, model }: PaymentRecord): boolean {
  return kind !== 'channel_call' || model !== 'deposit'
}

/** A channel pays for a call before it begins. */
function isPaid({ kind, settlement }: PaymentRecord): boolean {
  return kind === 'channel_call' || settlement !== null
}

function nextPage({ form, payments, unread }: PaymentsView): Html | false {
  const last = payments.at(-1)
  if (last === undefined || payments.length + unread.length < pageSize) return false
  const query = new URLSearchParams({ ...form, after: cursorText(last) })
  return html`<p class="count"><a href="/payments?${query.toString()}">Older payments</a></p>`
}
