/**
 * How long an operator's questions take in a large ledger.
 *
 *     node --conditions=farebox-source packages/ledger/bench/reports.ts [PAYMENTS] [URL]
 *
 * Fills an empty ledger (by default a million payments of a year in a new SQLite file) with rows as a
 * gateway leaves them, then asks each question several times.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Client } from 'pg'
import type { LedgerStore } from '../src/index.ts'
import { openLedger } from '../src/sql.ts'

const payments = Number(process.argv[2] ?? 1_000_000)
const folder = mkdtempSync(join(tmpdir(), 'farebox-reports-'))
const url = process.argv[3] ?? `sqlite:${join(folder, 'ledger.sqlite')}`
const isPostgres = url.startsWith('postgres')
const dayMs = 86_400_000
const now = Date.UTC(2026, 10, 22, 12)
const yearMs = 365 * dayMs

/** Rows `low` to `high` of each table, in SQL that both databases understand. */
function fill(low: number, high: number): readonly string[] {
  const series = `with recursive s(n) as (select ${low} union all select n + 1 from s where n < ${high})`
  const hex = (prefix: string, digits: number, n = 'n') =>
    isPostgres
      ? `'0x${prefix}' || lpad(to_hex(${n}), ${digits - prefix.length}, '0')`
      : `printf('0x${prefix}%0${digits - prefix.length}x', ${n})`
  const id = isPostgres ? "'pay_' || md5(n::text)" : "'pay_' || lower(hex(randomblob(16)))"
  const at = `${now - yearMs} + n * ${Math.floor(yearMs / payments)}`
  const isSold = 'n % 100 > 1'
  const isBlocked = `n % ${Math.ceil(payments / 200)} = 5`
  const payer = 'case when n % 10 = 0 then 1 else n % 50000 end'
  return [
    `insert into payout (nonce, version, chain_id, asset, payer, amount, status, signature, signed_at,
       transaction_hash, proof_transaction, proof_block, proof_block_hash, proof_log_index, reason,
       attempts, next_attempt_at, created_at, updated_at)
     ${series} select ${hex('4e', 64)}, 5, 8453, ${hex('a5', 40, '7')}, ${hex('fa', 40, payer)}, 600,
       case when ${isBlocked} then 'blocked' else 'final' end, '0x01', ${at}, ${hex('7b', 64)},
       ${hex('7b', 64)}, n, ${hex('b1', 64)}, 1, case when ${isBlocked} then 'reverts' end, 1, ${at},
       ${at}, ${at} from s where ${isSold}`,
    `insert into payment (id, version, status, network, chain_id, asset, payer, pay_to, value, nonce,
       valid_after, valid_before, request_digest, resource, model, price_version, intent_block,
       settlement_transaction, settlement_block, settlement_block_hash, settlement_log_index,
       settlement_final, cost, usage, refund_amount, refund_status, refund_nonce, reason, unfinished,
       created_at, updated_at)
     ${series} select ${id}, 5, case when ${isSold} then 'completed' else 'void' end, 'eip155:8453', 8453,
       ${hex('a5', 40, '7')}, ${hex('fa', 40, payer)}, ${hex('7e', 40, '7')}, 1000, ${hex('ab', 64)}, 0, 0,
       ${hex('00', 64)}, 'https://gateway.example/v1/chat/completions', 'maker/model-' || (n * 7 % 40),
       '2026-11-20', n, case when ${isSold} then ${hex('7a', 64)} end, case when ${isSold} then n end,
       case when ${isSold} then ${hex('b1', 64)} end, case when ${isSold} then 1 end,
       case when ${isSold} then 1 else 0 end, case when ${isSold} then 400 end,
       '{"inputTokens":700,"outputTokens":500,"source":"provider"}',
       case when ${isSold} then 600 end,
       case when ${isSold} then case when ${isBlocked} then 'blocked' else 'confirmed' end end,
       case when ${isSold} then ${hex('4e', 64)} end, null, 0, ${at}, ${at} from s`,
    ...[
      ['treasury', 'liability', 1000],
      ['liability', 'refunds_payable', 600],
      ['liability', 'revenue', 400],
      ['refunds_payable', 'treasury', 600],
    ].map(
      ([debit, credit, amount]) => `insert into entry (payment_seq, debit, credit, amount, at)
        select seq, '${debit}', '${credit}', ${amount}, created_at + 5000 from payment
        where intent_block between ${low} and ${high} and status = 'completed'
        and created_at between ${now - yearMs} + ${low} * ${Math.floor(yearMs / payments)}
        and ${now - yearMs} + ${high} * ${Math.floor(yearMs / payments)}`,
    ),
  ]
}

async function fillAll(): Promise<void> {
  const batch = 50_000
  const ranges = Array.from({ length: Math.ceil(payments / batch) }, (_, index) =>
    fill(index * batch + 1, Math.min(payments, (index + 1) * batch)),
  )
  if (isPostgres) {
    const client = new Client({ connectionString: url })
    await client.connect()
    for (const range of ranges) await client.query(`begin;${range.join(';')};commit`)
    await client.query('analyze')
    await client.end()
    return
  }
  const database = new Database(url.slice('sqlite:'.length))
  database.pragma('synchronous = OFF')
  for (const range of ranges) database.exec(`begin;${range.join(';')};commit`)
  database.close()
}

const always = { from: 0, to: now + dayMs, limit: 50 }
const hot = `0xfa${'1'.padStart(38, '0')}` as const
const rare = `0xfa${(777).toString(16).padStart(38, '0')}` as const
const tomorrow = now - (now % dayMs) + dayMs
const month = { from: tomorrow - 30 * dayMs, to: tomorrow, now }

const questions: Readonly<Record<string, (store: LedgerStore) => Promise<unknown>>> = {
  'revenue of 30 days, first': (store) => store.revenueByDay(month),
  'revenue of 30 days, later': (store) => store.revenueByDay(month),
  'the newest 50 payments': (store) => store.searchPayments(always),
  '50 payments half a year ago': (store) =>
    store.searchPayments({ ...always, to: now - yearMs / 2 }),
  'a payer of a tenth of all': (store) => store.searchPayments({ ...always, payer: hot }),
  'a payer of few': (store) => store.searchPayments({ ...always, payer: rare }),
  'a model': (store) => store.searchPayments({ ...always, model: 'maker/model-7' }),
  'a model without sales': (store) => store.searchPayments({ ...always, model: 'none' }),
  void: (store) => store.searchPayments({ ...always, status: 'void' }),
  'failed (none)': (store) => store.searchPayments({ ...always, status: 'failed' }),
  'settling (none)': (store) => store.searchPayments({ ...always, status: 'settling' }),
  'failed, of that payer (none)': (store) =>
    store.searchPayments({ ...always, status: 'failed', payer: hot }),
  'void, of that payer and a model': (store) =>
    store.searchPayments({ ...always, status: 'void', payer: hot, model: 'maker/model-7' }),
  'a transaction': (store) => store.paymentsOfTransaction(`0x7a${'1f40'.padStart(62, '0')}`),
  'blocked refunds': (store) => store.searchRefunds({ status: 'blocked', limit: 50 }),
  'totals of refunds': (store) => store.pendingRefundTotals(),
  owed: (store) => store.owed(),
}

const begun = performance.now()
const empty = await openLedger({ url })
await empty.close()
await fillAll()
console.log(`${payments} payments in ${Math.round((performance.now() - begun) / 1000)} s`)
const store = await openLedger({ url })
for (const [name, ask] of Object.entries(questions)) {
  const times: number[] = []
  for (let round = 0; round < (name.startsWith('revenue') ? 1 : 5); round += 1) {
    const start = performance.now()
    await ask(store)
    times.push(performance.now() - start)
  }
  const [first = 0] = times
  console.log(`${name}: first ${first.toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms`)
}
await store.close()
rmSync(folder, { recursive: true, force: true })
