import type { FreeUse, ModelRevenue } from '@farebox/ledger'
import { formatDecimal, greatest } from '@farebox/money'
import { type Html, html } from './html.ts'
import type { Money } from './money.ts'
import { table, terms, usdc } from './show.ts'

/** Balances, debts, revenue by day and model, and the gateway's health. */
export function moneyPage(money: Money): Html {
  return html`${health(money)}
<section class="tiles" aria-label="Balances and debts">${tiles(money).map(
    ([name, amount, note]) =>
      html`<div class="tile"><h2>${name}</h2><p class="sum">${amount}</p><p class="fine">${note}</p></div>`,
  )}</section>
<section><h2>Revenue, the last ${money.days} days</h2>${revenue(money)}</section>
${freeUse(money)}
<section><h2>Accounts</h2>${terms([
    ['Network', money.network],
    ['Treasury', html`<code>${money.treasury.address}</code>`],
    ['Relayer', money.relayer && html`<code>${money.relayer.address}</code>`],
  ])}</section>`
}

function health({ gateway: { url, health: state } }: Money): Html {
  if (state === null) {
    return html`<p class="notice">No gateway answered at ${url}. Set CONSOLE_GATEWAY_URL if it is elsewhere.</p>`
  }
  const { dependencies = {}, providers = {} } = state
  const states = Object.entries({ ...dependencies, ...providers }).map(
    ([name, is]) => `${name} ${is.replace('_', ' ')}`,
  )
  const text = `The gateway at ${url} is ${state.status}.`
  const alarms = state.issues ?? []
  return alarms.length === 0
    ? html`<p class="fine">${text} ${states.join(', ')}</p>`
    : html`<p class="notice">${text} Alarms: ${alarms.join(', ')}. ${states.join(', ')}</p>`
}

function tiles({ treasury, relayer, owed, pendingRefunds }: Money) {
  const { liability, suspense, refundsPayable, payerCredit } = owed
  const sum = liability + suspense + refundsPayable + payerCredit
  const parts = `services ${usdc(liability)}, refunds ${usdc(refundsPayable)}, small refunds ${usdc(payerCredit)}, suspense ${usdc(suspense)}`
  const blocked = pendingRefunds.find(({ status }) => status === 'blocked')
  const inChannels = owed.payerChannel
  return [
    ['Treasury', treasury.usdc === null ? 'not known' : usdc(treasury.usdc), 'on the chain'],
    [
      'Owed',
      usdc(sum),
      treasury.usdc !== null && treasury.usdc < sum
        ? `More than the treasury holds: ${parts}`
        : parts,
    ],
    ...(inChannels === 0n
      ? []
      : [['In channels', usdc(inChannels), 'the payers’, held by the settlement contract']]),
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

function eth(wei: bigint): string {
  return formatDecimal(wei - (wei % 10n ** 12n), 18)
}

function revenue({ revenue: sums, days }: Money): Html {
  const byDay = summed(sums, ({ day }) => new Date(day).toISOString().slice(0, 10))
  const byModel = summed(sums, ({ model }) => model)
  const unknown = sums.reduce((sum, { unknownCosts }) => sum + unknownCosts, 0)
  const note = html`<p class="fine">The margin is revenue less what providers bill. Gas is not in it.
${unknown === 0 ? '' : `What providers bill is not known of ${unknown} payments; their revenue is all margin here.`}</p>`
  if (byDay.length === 0) return html`<p>No payment earned anything in these days.</p>${note}`
  const ranked = byModel.toSorted((a, b) => (a.revenue < b.revenue ? 1 : -1))
  const total = byDay.reduce((sum, { revenue: amount }) => sum + amount, 0n)
  return html`<p class="sum">${usdc(total)}</p>${chart(sums, days)}
<div class="halves"><div><h3>By model</h3>${sumTable('Revenue by model', 'Model', ranked)}</div>
<div><h3>By day</h3>${sumTable('Revenue by day', 'Day', byDay.toReversed())}</div></div>${note}`
}

type Sum = Pick<ModelRevenue, 'payments' | 'revenue' | 'providerCost'> & { readonly name: string }

function summed(
  sums: readonly ModelRevenue[],
  nameOf: (sum: ModelRevenue) => string,
): readonly Sum[] {
  const byName = new Map<string, Sum>()
  for (const one of sums) {
    const name = nameOf(one)
    const before = byName.get(name) ?? { payments: 0, revenue: 0n, providerCost: 0n }
    byName.set(name, {
      name,
      payments: before.payments + one.payments,
      revenue: before.revenue + one.revenue,
      providerCost: before.providerCost + one.providerCost,
    })
  }
  return [...byName.values()]
}

function sumTable(label: string, head: string, sums: readonly Sum[]): Html {
  const rows = sums.map(({ name, payments, revenue: amount, providerCost }) => [
    name,
    String(payments),
    usdc(amount),
    signedUsdc(amount - providerCost),
  ])
  return table(label, [head, 'Payments', 'Revenue', 'Margin'], rows)
}

/** What was served without payment; nothing where there is no free quota. */
function freeUse({ free }: Money): Html {
  if (free.length === 0) return html``
  const rows = free
    .toReversed()
    .map(({ day, model, calls, cost, providerCost }: FreeUse) => [
      model,
      new Date(day).toISOString().slice(0, 10),
      String(calls),
      usdc(cost),
      usdc(providerCost),
    ])
  const heads = ['Model', 'Day', 'Calls', 'Billed to the quota', 'Providers bill']
  return html`<section><h2>Free quota</h2>${table('Free calls by model and day', heads, rows)}
<p class="fine">Nothing was paid for these calls: what providers bill for them is not in the margin above.</p></section>`
}

function signedUsdc(amount: bigint): string {
  return amount < 0n ? `−${usdc(-amount)}` : usdc(amount)
}

const dayMs = 86_400_000

/** A bar for each day up to the last with revenue; the tables have the same numbers as text. */
function chart(sums: readonly ModelRevenue[], days: number): Html {
  const byDay = new Map<number, bigint>()
  for (const { day, revenue: amount } of sums) byDay.set(day, (byDay.get(day) ?? 0n) + amount)
  const last = Math.max(...byDay.keys())
  const amounts = Array.from(
    { length: days },
    (_, index) => byDay.get(last - (days - 1 - index) * dayMs) ?? 0n,
  )
  const most = amounts.reduce(greatest, 1n)
  const bars = amounts.map((amount, index) => {
    const height = Number((amount * 1000n) / most) / 10
    return html`<rect x="${index * 10 + 1}" y="${100 - height}" width="8" height="${height}" rx="1"></rect>`
  })
  return html`<svg class="bars" viewBox="0 0 ${days * 10} 100" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`
}
