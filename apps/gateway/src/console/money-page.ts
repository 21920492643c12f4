import { countOf } from '@farebox/api'
import {
  type FreeUse,
  type GasOfDay,
  type ModelRevenue,
  unrecordedTransactions,
} from '@farebox/ledger'
import { greatest, sum } from '@farebox/money'
import { usdcOfWei } from '../chain/usdc-of-wei.ts'
import { type Html, html } from './page/html.ts'
import { eth, table, terms, usdc } from './page/show.ts'
import { issueWords } from './page/what-to-do.ts'
import type { Money } from './read-money.ts'

/** Balances, debts, revenue by day and model, and the gateway's health. */
export function moneyPage(money: Money): Html {
  return html`${health(money)}
<section class="tiles" aria-label="Balances and debts">${tiles(money).map(
    ([name, amount, note]) =>
      html`<div class="tile"><h2>${name}</h2><p class="sum">${amount}</p><p class="fine">${note}</p></div>`,
  )}</section>
<section><h2>Revenue, the last ${money.days} days</h2>${revenue(money)}</section>
${freeUse(money)}
${gas(money)}
<section><h2>Accounts</h2>${terms([
    ['Network', money.network],
    ['Treasury', html`<code>${money.treasury.address}</code>`],
    ['Relayer', money.relayer && html`<code>${money.relayer.address}</code>`],
  ])}</section>`
}

function health(money: Money): Html {
  const { url, health: state } = money.gateway
  if (state === null) {
    return html`<p class="notice">No gateway answered at ${url}. Set CONSOLE_GATEWAY_URL if it is elsewhere.</p>`
  }
  const { dependencies = {}, providers = {} } = state
  const states = Object.entries({ ...dependencies, ...providers }).map(
    ([name, is]) => `${name} ${is.replace('_', ' ')}`,
  )
  const text = `The gateway at ${url} is ${state.status}.`
  const alarms = [...(state.issues ?? []).map(alarm), ...lowBalances(dependencies, money)]
  return alarms.length === 0
    ? html`<p class="fine">${text} ${states.join(', ')}</p>`
    : html`<div class="notice">${text}<ul>${alarms.map((one) => html`<li>${one}</li>`)}</ul>${states.join(', ')}</div>`
}

function alarm(issue: keyof typeof issueWords): Html {
  const link = issue === 'refunds_paused' && html` <a href="/refunds?status=blocked">Show them</a>`
  return html`<code>${issue}</code> ${issueWords[issue]}${link}`
}

function lowBalances(
  { treasury, relayer }: Readonly<Record<string, string>>,
  accounts: Pick<Money, 'treasury' | 'relayer'>,
): readonly Html[] {
  const low = [
    treasury === 'low' &&
      html`The treasury is low: send USDC to <code>${accounts.treasury.address}</code>.`,
    relayer === 'low' &&
      html`The relayer is low: send ETH to <code>${accounts.relayer?.address}</code>.`,
  ]
  return low.filter((one) => one !== false)
}

function tiles({ treasury, relayer, owed, pendingRefunds }: Money) {
  const { liability, suspense, refundsPayable, payerCredit } = owed
  const due = liability + suspense + refundsPayable + payerCredit
  const parts = `services ${usdc(liability)}, refunds ${usdc(refundsPayable)}, small refunds ${usdc(payerCredit)}, suspense ${usdc(suspense)}`
  const blocked = pendingRefunds.find(({ status }) => status === 'blocked')
  const inChannels = owed.payerChannel
  return [
    ['Treasury', treasury.usdc === null ? 'not known' : usdc(treasury.usdc), 'on the chain'],
    [
      'Owed',
      usdc(due),
      treasury.usdc !== null && treasury.usdc < due
        ? `More than the treasury holds: ${parts}`
        : parts,
    ],
    ...(inChannels === 0n
      ? []
      : [
          [
            'In channels',
            usdc(inChannels),
            html`the payers’, held by the settlement contract · <a href="/channels">show them</a>`,
          ] as const,
        ]),
    [
      'Blocked refunds',
      usdc(blocked?.amount ?? 0n),
      html`${blocked?.transfers ?? 0} · <a href="/refunds?status=blocked">show them</a>`,
    ],
    [
      'Relayer',
      relayer?.wei === undefined || relayer.wei === null ? 'not known' : `${eth(relayer.wei)} ETH`,
      relayer === null ? 'a facilitator pays the gas' : 'for gas',
    ],
  ] as const
}

function revenue(money: Money): Html {
  const { revenue: sums, days } = money
  const byModel = summed(sums, ({ model }) => model)
  const note = html`<p class="fine">${notes(money)}</p>`
  if (byModel.length === 0) return html`<p>No revenue in this period.</p>${note}`
  const ranked = byModel.toSorted((a, b) => (a.revenue < b.revenue ? 1 : -1))
  const earned = sum(byModel.map((model) => model.revenue))
  const models = ranked.map((model) => [model.name, ...margin(model)])
  return html`<p class="sum">${usdc(earned)}</p>${chart(sums, days)}
<h3>By day</h3>${dayTable(money)}
<h3>By model</h3>${table('Revenue by model', ['Model', 'Payments', 'Revenue', 'Margin'], models)}${note}`
}

/** Days with revenue, gas or free calls, the latest first. */
function dayTable({ revenue: sums, free, gas: paid, dollarsPerEther }: Money): Html {
  const byDay = new Map(summed(sums, ({ day }) => nameOf(day)).map((day) => [day.name, day]))
  const names = [...sums, ...free, ...paid].map(({ day }) => nameOf(day))
  const rows = [...new Set(names)]
    .toSorted()
    .toReversed()
    .map((name) => {
      const sold = byDay.get(name) ?? { ...nothing, name }
      const fee = sum(paid.filter(({ day }) => nameOf(day) === name).map((one) => one.fee))
      const given = sum(
        free.filter(({ day }) => nameOf(day) === name).map((one) => one.providerCost),
      )
      const cost = usdcOfWei(fee, dollarsPerEther)
      const profit = sold.revenue - sold.providerCost - cost - given
      return [name, ...margin(sold), usdc(cost), usdc(profit)]
    })
  return table('Revenue by day', ['Day', 'Payments', 'Revenue', 'Margin', 'Gas', 'Profit'], rows)
}

function nameOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10)
}

function notes(money: Money): string {
  const { revenue: sums, free, gas: paid, relayer, dollarsPerEther, network } = money
  const unknown = total(sums.map(({ unknownCosts }) => unknownCosts))
  const missing = unrecordedTransactions(paid)
  return [
    'The margin is revenue less what providers bill.',
    `Profit is the margin less gas, at $${dollarsPerEther} per ETH (USD_PER_ETH)${free.length === 0 ? '' : ', and less what providers bill for free calls'}.`,
    network === 'devnet' && 'Gas on the devnet is free, and its price differs from that of Base.',
    unknown > 0 &&
      `The provider's bill is not known for ${countOf(unknown, 'payment')}, whose whole revenue is counted as margin.`,
    relayer === null && 'A facilitator pays the gas; its price is not known here.',
    missing > 0 &&
      `The gas of ${countOf(missing, 'transaction')} of the relayer is not known: a process ended before the block was mined, or another program uses the relayer’s key.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function total(counts: readonly number[]): number {
  return counts.reduce((before, count) => before + count, 0)
}

/** What the relayer paid in this period, by purpose; empty without a relayer. */
function gas({ gas: paid, dollarsPerEther, days }: Money): Html {
  if (paid.length === 0) return html``
  const rows = [...Map.groupBy(paid, ({ purpose }) => purpose)].map(([purpose, sums]) => {
    const fee = sum(sums.map((one) => one.fee))
    return [
      purposeWords[purpose],
      String(total(sums.map(({ transactions }) => transactions))),
      String(total(sums.map(({ reverted }) => reverted))),
      sum(sums.map((one) => one.gas)).toLocaleString('en'),
      `${eth(fee)} ETH`,
      usdc(usdcOfWei(fee, dollarsPerEther)),
    ]
  })
  const heads = ['For', 'Transactions', 'Reverted', 'Gas', 'Paid', 'About']
  return html`<section><h2>Gas, the last ${days} days</h2>${table('Gas by purpose', heads, rows)}</section>`
}

const purposeWords: Readonly<Record<GasOfDay['purpose'], string>> = {
  settlement: 'settlements',
  refund: 'refunds',
  channel: 'payment channels',
  filler: 'unused nonces',
}

type Sum = Pick<ModelRevenue, 'payments' | 'revenue' | 'providerCost'> & { readonly name: string }

const nothing = { payments: 0, revenue: 0n, providerCost: 0n }

function summed(
  sums: readonly ModelRevenue[],
  groupOf: (sum: ModelRevenue) => string,
): readonly Sum[] {
  const byName = new Map<string, Sum>()
  for (const one of sums) {
    const name = groupOf(one)
    const before = byName.get(name) ?? nothing
    byName.set(name, {
      name,
      payments: before.payments + one.payments,
      revenue: before.revenue + one.revenue,
      providerCost: before.providerCost + one.providerCost,
    })
  }
  return [...byName.values()]
}

/** The cells of payments, revenue and margin. */
function margin({ payments, revenue: amount, providerCost }: Sum): readonly string[] {
  return [String(payments), usdc(amount), usdc(amount - providerCost)]
}

/** What was served without payment; empty without a free quota. */
function freeUse({ free }: Money): Html {
  if (free.length === 0) return html``
  const rows = free
    .toReversed()
    .map(({ day, model, calls, cost, providerCost }: FreeUse) => [
      model,
      nameOf(day),
      String(calls),
      usdc(cost),
      usdc(providerCost),
    ])
  const heads = ['Model', 'Day', 'Calls', 'Billed to the quota', 'Providers bill']
  return html`<section><h2>Free quota</h2>${table('Free calls by model and day', heads, rows)}
<p class="fine">Nothing was paid for these calls. What providers bill for them reduces the profit above, not the margin.</p></section>`
}

const dayMs = 86_400_000

/** A bar for each day up to the last day with revenue; the tables show the same numbers as text. */
function chart(sums: readonly ModelRevenue[], days: number): Html {
  const byDay = new Map<number, bigint>()
  for (const { day, revenue: amount } of sums) byDay.set(day, (byDay.get(day) ?? 0n) + amount)
  const last = Math.max(...byDay.keys())
  const amounts = Array.from(
    { length: days },
    (_, index) => byDay.get(last - (days - 1 - index) * dayMs) ?? 0n,
  )
  const highest = amounts.reduce(greatest, 1n)
  const bars = amounts.map((amount, index) => {
    const height = Number((amount * 1000n) / highest) / 10
    return html`<rect x="${index * 10 + 1}" y="${100 - height}" width="8" height="${height}" rx="1"></rect>`
  })
  return html`<svg class="bars" viewBox="0 0 ${days * 10} 100" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`
}
