import type { FillWords } from './fill-words.ts'

const dayMs = 86_400_000
const yearDays = 365

/** A ledger of a year. */
export type FilledYear = {
  readonly payments: number
  /** Milliseconds since 1970. */
  readonly begunAt: number
  /** Whether some payments and refunds are open, which a gateway on this ledger works on. */
  readonly open: 'some' | 'none'
}

/** The payments from `low` to `high`. */
export type Rows = { readonly low: number; readonly high: number }

/** One channel for a thousand payments, with 200 calls. */
function channelsIn({ payments }: FilledYear): number {
  return Math.max(1, Math.floor(payments / 1000))
}

/**
 * The statements that insert some payments of the year, with their refunds, entries and service
 * starts. Each fifth is a channel's call, the others are sales. One in a hundred failed, and one
 * payer has made a twentieth of all. With some open: of the last month one in a hundred expired
 * unpaid, small refunds of the last day wait, the last 400 payments are not final, and one refund
 * in 20,000 is blocked.
 */
export function fillStatements(words: FillWords, year: FilledYear, rows: Rows): readonly string[] {
  const fill = { words, from: `with recursive ${payments(words, year, rows)}` }
  return [
    refunds(fill),
    sales(fill),
    calls(fill, year),
    uses(fill, year),
    starts(fill),
    ...entries(fill),
  ]
}

type Fill = { readonly words: FillWords; readonly from: string }

/** The payments as rows of number, state, payer and time. */
function payments(words: FillWords, year: FilledYear, rows: Rows): string {
  const open = year.open === 'none' ? [] : openStates(year.payments)
  const states = ["when n % 5 = 0 then 'call'", "when n % 100 = 1 then 'failed'", ...open]
  return `${words.series(rows.low, rows.high)}, t(n, state, payer, at) as (select n,
    case ${states.join(' ')} else 'final' end,
    case when n % 20 = 4 then 0 else 1 + n % 50000 end,
    ${year.begunAt} + n * ${everyMs(year.payments)} from s)`
}

function openStates(all: number): readonly string[] {
  const lastOf = (days: number): number => Math.floor(all * (1 - days / yearDays))
  return [
    `when n > ${all - 50} then 'serving'`,
    `when n % 100 = 2 and n > ${lastOf(30)} then 'void'`,
    `when n % 5 > 2 and n > ${lastOf(1)} then 'accruing'`,
    `when n > ${all - 400} then 'recent'`,
    "when n % 20000 = 7 then 'blocked'",
    "when n % 50000 = 11 then 'written_off'",
  ]
}

function everyMs(all: number): number {
  return Math.max(1, Math.floor((yearDays * dayMs) / all))
}

const [token, treasury] = [`'0x${'a5'.repeat(20)}'`, `'0x${'7e'.repeat(20)}'`]

/** An odd factor gives each number below 2 to the 32 another one. */
function spread({ hex }: FillWords): string {
  return hex('(n * 2654435761) % 4294967296', 8)
}

/** 32 bytes that are spread over their index as random ones are, for one purpose. */
function unique(words: FillWords, tag: string): string {
  return `'0x' || ${spread(words)} || '${tag}' || ${words.hex('n', 56 - tag.length)}`
}

function idOf(words: FillWords): string {
  return `'pay_' || ${spread(words)} || ${words.hex('n', 24)}`
}

function payerOf({ hex }: FillWords): string {
  return `'0xfa' || ${hex('payer', 38)}`
}

const withTransfer = "('final', 'failed', 'recent', 'blocked', 'written_off')"

function refunds({ words, from }: Fill): string {
  const ifPaid = (value: string): string =>
    `case when state in ('final', 'failed', 'recent') then ${value} end`
  const transaction = ifPaid(unique(words, '7b'))
  return `insert into refund_transfer (nonce, version, chain_id, asset, payer, amount, status, signature,
      signed_at, transaction_hash, proof_transaction, proof_block, proof_block_hash, proof_log_index,
      reason, attempts, next_attempt_at, created_at, updated_at)
    ${from} select ${unique(words, '4e')}, 5, 8453, ${token}, ${payerOf(words)},
      case when state = 'failed' then 1000 else 600 end,
      case state when 'recent' then 'confirmed' when 'failed' then 'final' else state end,
      '0x01', at, ${transaction}, ${transaction}, ${ifPaid('n')}, ${ifPaid(unique(words, 'b1'))},
      ${ifPaid('1')}, case when state = 'blocked' then 'payee_refused' end, 1, at, at, at
    from t where state in ${withTransfer}`
}

const paymentColumns = `seq, id, version, status, network, chain_id, asset, payer, pay_to, value, nonce,
  valid_after, valid_before, request_digest, resource, model, price_version, intent_block,
  settlement_transaction, settlement_block, settlement_block_hash, settlement_log_index,
  settlement_final, cost, usage, refund_amount, refund_status, refund_nonce, refund_transaction,
  unfinished, created_at, updated_at, kind, channel_id`

const used = `'{"inputTokens":700,"outputTokens":500,"source":"provider"}'`

/** The columns from the identifier to the block of the claim. */
function claimed(words: FillWords, status: string): string {
  return `${idOf(words)}, 5, ${status}, 'eip155:8453', 8453, ${token}, ${payerOf(words)}, ${treasury},
    1000, ${unique(words, 'ab')}, 0, 0, ${unique(words, 'd1')},
    'https://gateway.example/v1/chat/completions', 'maker/model-' || (n * 7 % 40), '2026-11-20', n`
}

function sales({ words, from }: Fill): string {
  const ifPaid = (value: string): string => `case when state <> 'void' then ${value} end`
  const ifEnded = (value: string): string =>
    `case when state not in ('void', 'serving') then ${value} end`
  const status = `case when state in ('void', 'serving', 'failed') then state else 'completed' end`
  const ifSent = (value: string): string => `case when state in ${withTransfer} then ${value} end`
  return `insert into payment (${paymentColumns}) ${words.ownKey}
    ${from} select n, ${claimed(words, status)}, ${ifPaid(unique(words, '7a'))}, ${ifPaid('n')},
      ${ifPaid(unique(words, 'b1'))}, ${ifPaid('1')},
      case when state in ('void', 'serving', 'recent') then 0 else 1 end,
      ${ifEnded("case when state = 'failed' then 0 else 400 end")}, ${ifEnded(used)},
      ${ifEnded("case when state = 'failed' then 1000 else 600 end")},
      ${ifEnded("case when state in ('final', 'failed', 'recent') then 'confirmed' else state end")},
      ${ifSent(unique(words, '4e'))},
      case when state in ('final', 'failed', 'recent') then ${unique(words, '7b')} end,
      case when state in ('serving', 'recent') then 1 else 0 end, at, at, 'sale', null
    from t where state <> 'call'`
}

function channelIdOf({ hex }: FillWords, channel: string): string {
  return `'0x' || ${hex(channel, 64)}`
}

/** The number of a call's channel; a call is each fifth payment. */
function channelOf(year: FilledYear): string {
  return `(1 + (n / 5) % ${channelsIn(year)})`
}

function calls({ words, from }: Fill, year: FilledYear): string {
  return `insert into payment (${paymentColumns}) ${words.ownKey}
    ${from} select n, ${claimed(words, "'completed'")}, null, null, null, null, 0, 400, ${used}, 600,
      'released', null, null, 0, at, at, 'channel_call', ${channelIdOf(words, channelOf(year))}
    from t where state = 'call'`
}

function uses({ words, from }: Fill, year: FilledYear): string {
  return `insert into channel_use (channel_seq, max, signature, payment_id, free, published)
    ${from} select ${channelOf(year)}, 600 + 400 * (1 + n / 5 / ${channelsIn(year)}),
      '0x' || ${words.hex('n', 130)}, ${idOf(words)}, 0, 0 from t where state = 'call'`
}

function starts({ from }: Fill): string {
  return `insert into dispatch (payment_seq, at)
    ${from} select n, at + 3000 from t where state <> 'void'`
}

type Booked = readonly [states: string, debit: string, credit: string, amount: number]

/** As the transitions of each state write them. */
const booked: readonly Booked[] = [
  ["state not in ('void', 'call')", 'treasury', 'liability', 1000],
  ["state = 'failed'", 'liability', 'refunds_payable', 1000],
  ["state = 'failed'", 'refunds_payable', 'treasury', 1000],
  ["state = 'accruing'", 'liability', 'payer_credit', 600],
  ["state in ('final', 'recent', 'blocked', 'written_off')", 'liability', 'refunds_payable', 600],
  ["state in ('final', 'recent')", 'refunds_payable', 'treasury', 600],
  ["state = 'written_off'", 'refunds_payable', 'written_off', 600],
  ["state = 'call'", 'payer_channel', 'liability', 1000],
  ["state = 'call'", 'liability', 'payer_channel', 600],
  ["state not in ('void', 'failed', 'serving')", 'liability', 'revenue', 400],
]

function entries({ from }: Fill): readonly string[] {
  return booked.map(
    ([states, debit, credit, amount]) => `insert into entry (payment_seq, debit, credit, amount, at)
      ${from} select n, '${debit}', '${credit}', ${amount}, at + 5000 from t where ${states}`,
  )
}

/**
 * The channels of the year, nine of ten closed, each with a deposit, a claim for each fifty calls
 * and the payment of the claims. A deposit is a payment, numbered after all others.
 */
export function channelStatements(words: FillWords, year: FilledYear): readonly string[] {
  const { payments: all, begunAt } = year
  const channels = channelsIn(year)
  const callsOfOne = Math.floor(all / 5 / channels)
  const [charged, deposited] = [400 * callsOfOne, 400 * callsOfOne + 1000]
  const from = `with recursive ${words.series(1, channels)}`
  const numbered = `with recursive ${words.series(all + 1, all + channels)},
    t(n, payer, at) as (select n, n % 50000, ${begunAt} + (n - ${all}) * ${everyMs(channels)} from s)`
  const id = channelIdOf(words, 'n')
  const ofDeposit = channelIdOf(words, `(n - ${all})`)
  const proof = (tag: string): string => `${unique(words, tag)}, n, ${unique(words, 'b1')}`
  const claims = Math.max(1, Math.floor(callsOfOne / 50))
  const moved = (kind: string, tag: string, each: { of: string; amount: number; log: number }) =>
    `insert into channel_movement (kind, chain_id, channel_id, amount, proof_transaction, proof_block,
       proof_block_hash, proof_log_index, lost, at)
     ${from} select '${kind}', 8453, ${each.of}, ${each.amount}, ${proof(tag)}, ${each.log}, 0, ${begunAt}
     from s`
  return [
    `insert into channel (seq, id, chain_id, payer, payer_authorizer, receiver, receiver_authorizer,
       token, withdraw_delay, salt, status, version, deposited, returned, charged, reserved, signed,
       signature, claimed, refund_nonce, seen_block, last_call_at, created_at, updated_at)
     ${words.ownKey} ${from} select n, ${id}, 8453, '0xfa' || ${words.hex('n % 50000', 38)},
       '0xfa' || ${words.hex('n % 50000', 38)}, ${treasury}, ${treasury}, ${token}, 86400, ${id},
       case when n % 10 = 0 then 'open' else 'closed' end, 9, ${deposited},
       case when n % 10 = 0 then 0 else 1000 end, ${charged}, 0, ${deposited - 400},
       '0x' || ${words.hex('n', 130)}, ${charged}, 1, n, ${begunAt}, ${begunAt}, ${begunAt} from s`,
    `insert into payment (${paymentColumns}) ${words.ownKey}
     ${numbered} select n, ${claimed(words, "'completed'").replace('1000,', `${deposited},`)}, ${proof('7d')}, 1,
       1, ${deposited}, null, null, null, null, null, 0, at, at, 'channel_deposit', ${ofDeposit} from t`,
    `insert into entry (payment_seq, debit, credit, amount, at)
     ${numbered} select n, 'escrow', 'payer_channel', ${deposited}, at from t`,
    ...Array.from({ length: claims }, (_, claim) =>
      moved('claim', '7c', { of: id, amount: charged / claims, log: claim }),
    ),
    moved('settle', '7e', { of: 'null', amount: charged, log: 0 }),
  ]
}
