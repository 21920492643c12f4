import { atomicUsdc, formatDecimal, formatUsdc } from '@farebox/money'
import { type Html, html } from './html.ts'

/** An amount in atomic units as dollars of USDC. */
export function usdc(amount: bigint): string {
  return amount < 0n ? `−${usdc(-amount)}` : `${formatUsdc(atomicUsdc(amount))} USDC`
}

/** An amount of wei in ETH, with six decimals, or with more if it is smaller. */
export function eth(wei: bigint): string {
  const step = wei < 10n ** 15n ? 10n ** 9n : 10n ** 12n
  return formatDecimal(wei - (wei % step), 18)
}

/** `2026-11-22 10:15:00` in UTC. */
export function time(milliseconds: number): Html {
  const iso = new Date(milliseconds).toISOString()
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`
}

/** The first and last digits of a long name, which is shown in full as a title. */
export function short(text: string): Html {
  return html`<code title="${text}">${text.length > 18 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text}</code>`
}

/** A transaction, linked to the network's explorer if it has one. */
export function transaction(hash: string, explorer: string | null): Html {
  return explorer === null
    ? html`<code>${hash}</code>`
    : html`<a href="${explorer}/tx/${hash}" rel="noreferrer"><code>${hash}</code></a>`
}

/** Terms with their values; terms without a value are left out. */
export function terms(
  rows: readonly (readonly [string, Html | string | null | undefined])[],
): Html {
  return html`<dl class="terms facts">${rows.map(
    ([name, value]) => value && html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>`
}

/** Columns of words; the others are amounts and counts, which are right-aligned. */
const wordColumns: ReadonlySet<string> = new Set([
  ...['Created', 'Since', 'Next attempt', 'Day', 'Model', 'Payer', 'To', 'Status', 'Reason'],
  ...['Debit', 'Credit', 'Decide', 'Last call', 'Withdrawal'],
])

/** Of these, columns whose words may be long: they wrap, so that the amounts stay in view. */
const wrappedColumns: ReadonlySet<string> = new Set(['Model', 'Status', 'Reason'])

function classOf(head: string): Html {
  if (wrappedColumns.has(head)) return html` class="words wrapped"`
  return wordColumns.has(head) ? html` class="words"` : html``
}

/** A table that scrolls by itself on a narrow screen. */
export function table(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  const kinds = heads.map(classOf)
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table class="catalog">
<thead><tr>${heads.map((head, index) => html`<th scope="col"${kinds[index]}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...rest]) => html`<tr><th scope="row"${kinds[0]}>${first}</th>${rest.map((cell, index) => html`<td${kinds[index + 1]}>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}
