import { type ChannelRecord, channelAmounts, channelStatuses } from '@farebox/ledger'
import { formatUsdc } from '@farebox/money'
import { type Html, html } from '../page/html.ts'
import { short, table, terms, time, usdc } from '../page/show.ts'
import { unreadNotice } from '../page/unread.ts'
import type { ChannelList } from './read-channels.ts'

/** What is at risk in payment channels, and those in one state, the oldest first. */
export function channelsPage(list: ChannelList): Html {
  const { status, states, channels, unread, next } = list
  const tabs = channelStatuses.map((one) => {
    const { channels: count = 0, escrow = 0n } = states[one] ?? {}
    const current = one === status && html` aria-current="page"`
    const sum = count > 0 && html` <span class="fine">${count}, ${usdc(escrow)}</span>`
    return html`<a href="/channels?status=${one}"${current}>${one}${sum}</a>`
  })
  return html`${unreadNotice(unread)}
<section class="tiles" aria-label="All channels">${tiles(list).map(
    ([name, amount, note]) =>
      html`<div class="tile"><h2>${name}</h2><p class="sum">${amount}</p><p class="fine">${note}</p></div>`,
  )}</section>
<nav class="tabs" aria-label="States of channels">${tabs}</nav>
${channels.length === 0 ? html`<p>No channel is in this state.</p>` : channelTable(channels)}
${next !== undefined && html`<p class="count"><a href="/channels?status=${status}&amp;after=${next}">Later channels</a></p>`}`
}

function tiles({ totals }: ChannelList): readonly (readonly [string, string, string])[] {
  const { claimable, reserved, unsettled, frozen, deposited, returned, charged } = totals
  return [
    [
      'At risk',
      usdc(claimable + reserved),
      `${usdc(claimable)} to claim, ${usdc(reserved)} for calls in flight`,
    ],
    ['Claimed', usdc(unsettled), 'not yet paid to the treasury'],
    ['Payers’ rest', usdc(deposited - returned - charged - reserved), 'for calls, or returned'],
    ['Frozen', String(frozen), frozen === 0 ? 'none holds money' : 'run audit'],
  ]
}

function channelTable(channels: readonly ChannelRecord[]): Html {
  const amounts = ['Charged, USDC', 'To claim', 'In flight', 'Rest']
  return table(
    'Channels',
    ['Channel', 'Payer', ...amounts, 'Last call', 'Withdrawal', 'Reason'],
    channels.map((channel) => {
      const { claimable, held, refundable } = channelAmounts(channel)
      return [
        html`<a href="/channels/${channel.id}">${short(channel.id)}</a>`,
        payerLink(channel, short(channel.config.payer)),
        formatUsdc(channel.charged),
        formatUsdc(claimable),
        formatUsdc(held),
        formatUsdc(refundable),
        time(channel.lastCallAt),
        channel.withdrawAt === null ? '–' : time(channel.withdrawAt * 1000),
        channel.reason ?? '–',
      ]
    }),
  )
}

function payerLink({ config }: ChannelRecord, text: Html): Html {
  return html`<a href="/payments?q=${config.payer}">${text}</a>`
}

/** Everything in the ledger about one channel, except its voucher. */
export function channelPage(channel: ChannelRecord): Html {
  const { id, status, reason, config, withdrawAt, unclaimedSince } = channel
  const { claimed, claimable, held, refundable, uncovered } = channelAmounts(channel)
  return html`<p class="model-id"><code>${id}</code></p>${terms([
    ['Status', reason === null ? status : `${status}: ${reason}`],
    ['Payer', payerLink(channel, html`<code>${config.payer}</code>`)],
    ['Created', time(channel.createdAt)],
    ['Last call', time(channel.lastCallAt)],
    ['Deposited', usdc(channel.deposited)],
    ['Charged', usdc(channel.charged)],
    ['Claimed', usdc(claimed)],
    ['To claim', usdc(claimable)],
    ['Since', unclaimedSince === null ? null : time(unclaimedSince)],
    ['In flight', usdc(held)],
    ['Rest', usdc(refundable)],
    ['Returned', usdc(channel.returned)],
    ['Not covered', uncovered === 0n ? null : usdc(uncovered)],
    ['Withdrawal from', withdrawAt === null ? null : time(withdrawAt * 1000)],
    ['Voucher up to', usdc(channel.signed)],
    ['Payee', html`<code>${config.receiver}</code>`],
    ['Read up to block', String(channel.seenBlock)],
  ])}`
}
