import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Devnet, startDevnet } from '@farebox/devnet'
import type { LedgerStore } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import type { AuditFinding, AuditReport } from '@farebox/payments'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { announceWithdrawal, buyFirst, setUpChannels } from '../support/channel-setup.ts'
import { auditTestPaywall, type TestPaywall } from '../support/test-paywall.ts'
import { testPaywallsOn } from '../support/test-paywalls.ts'

let devnet: Devnet
const { open, payer } = testPaywallsOn(async () => {
  devnet = await startDevnet()
  return devnet
})

const folder = mkdtempSync(join(tmpdir(), 'farebox-tampered-'))
const file = join(folder, 'ledger.sqlite')
let database: DatabaseSync
let store: LedgerStore
let paywall: TestPaywall
/** Claimed and paid out; about to be withdrawn; charged and not claimed. */
let channels: { readonly paid: string; readonly leaving: string; readonly owing: string }

beforeAll(async () => {
  store = await openLedger({ url: `sqlite:${file}` })
  const setup = setUpChannels(open, { store })
  paywall = setup.paywall
  const paid = await buyFirst(setup, payer(0), 4_000n)
  const leaving = await buyFirst(setup, payer(1), 4_000n)
  await announceWithdrawal(devnet, leaving.config, 96_000n)
  await setup.rounds.runOnce()
  const owing = await buyFirst(setup, payer(2), 3_000n)
  channels = { paid: paid.channelId, leaving: leaving.channelId, owing: owing.channelId }
  await devnet.mine(65)
  database = new DatabaseSync(file)
  for (const trigger of ['channel_entry_is_append_only', 'channel_movement_is_agreed']) {
    database.exec(`drop trigger ${trigger}`)
  }
})
afterAll(async () => {
  database.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What the audit says while a column of one row has another value. */
async function auditWith(
  { table, where }: { readonly table: string; readonly where: string },
  [column, value]: readonly [string, string | number | null],
): Promise<AuditReport> {
  const row = database
    .prepare(`select rowid as key, ${column} as was from ${table} where ${where}`)
    .get()
  const change = database.prepare(`update ${table} set ${column} = ? where rowid = ?`)
  const key = Number(row?.['key'])
  change.run(value, key)
  try {
    return await auditTestPaywall(paywall)
  } finally {
    change.run(row?.['was'] as string | number | null, key)
  }
}

const channelRow = (name: keyof typeof channels) => ({
  table: 'channel',
  where: `id = '${channels[name]}'`,
})

test('a ledger that was not changed has nothing unexplained', async () => {
  const { unexplained, channels: count } = await auditTestPaywall(paywall)
  expect([unexplained, count]).toEqual([[], 3])
})

test('a channel that is marked as closed while its rest is in the contract is named with the rest', async () => {
  const { unexplained } = await auditWith(channelRow('paid'), ['status', 'closed'])
  expect(unexplained).toMatchObject([{ kind: 'channel_differs', amount: 96_000n }])
  expect(unexplained[0]?.detail).toBe(
    `channel ${channels.paid}: status is closed, with 96000 in escrow`,
  )
})

test.each([
  ['owing', 'unclaimed_since', 3_000n],
  ['paid', 'last_call_at', 96_000n],
] as const)(
  'a channel that is %s and whose %s is in the future is named with what that delays',
  async (name, column, amount) => {
    const later = 8_000_000_000_000_000
    const { unexplained } = await auditWith(channelRow(name), [column, later])
    expect(unexplained).toMatchObject([{ kind: 'channel_differs', amount }])
    expect(unexplained[0]?.detail).toContain(`channel ${channels[name]}: ${column} is ${later}, `)
  },
)

test('a withdrawal that only the contract knows, and one that only the ledger knows, are named', async () => {
  const { withdrawAt } = (await store.loadChannel(channels.leaving as `0x${string}`))!
  const unrecorded = await auditWith(channelRow('leaving'), ['withdraw_at', null])
  expect(unrecorded.unexplained).toMatchObject([{ kind: 'channel_differs', amount: 96_000n }])
  expect(unrecorded.unexplained[0]?.detail).toBe(
    `channel ${channels.leaving}: withdraw_at is null, and by the contract ${withdrawAt}`,
  )
  const invented = await auditWith(channelRow('paid'), ['withdraw_at', 1_234])
  expect(invented.unexplained[0]?.detail).toBe(
    `channel ${channels.paid}: withdraw_at is 1234, and by the contract null`,
  )
})

test.each([
  ['claim', 8_007],
  ['settle', 7_993],
])('a kept sum of %s that is not that of the movements is named', async (kind, amount) => {
  const row = { table: 'channel_sum', where: `kind = '${kind}'` }
  const { unexplained } = await auditWith(row, ['amount', amount])
  expect(unexplained).toMatchObject([{ kind: 'channel_differs', amount: 7n }])
  expect(unexplained[0]?.detail).toBe('channel_sum: claim less settle is 7, and by the movements 0')
})

test('an entry of a movement with another amount is unexplained, with its transaction', async () => {
  const row = { table: 'channel_entry', where: "debit = 'treasury'" }
  const { unexplained } = await auditWith(row, ['amount', 8_007])
  const transaction = expect.stringMatching(/^0x/)
  expect(unexplained).toMatchObject([{ kind: 'entries_differ', amount: 14n, transaction }])
})

const named = ({ unexplained }: AuditReport) =>
  unexplained.filter(({ kind }) => kind === 'row_corrupt').map(({ detail }: AuditFinding) => detail)

test('a row that cannot be read is named, and the others are audited', async () => {
  const { id } = database.prepare("select id from payment where kind = 'channel_call'").get()!
  const calls = { table: 'payment', where: `id = '${String(id)}'` }
  for (const usage of ['{"source":', '[]']) {
    const report = await auditWith(calls, ['usage', usage])
    expect(named(report)).toEqual([
      `the database holds an invalid usage in the row of ${String(id)}: ${JSON.stringify(usage)}`,
    ])
    expect(report).toMatchObject({ payments: 5, channels: 3 })
  }
  const movements = { table: 'channel_movement', where: "kind = 'settle'" }
  const report = await auditWith(movements, ['proof_block_hash', 'lost'])
  expect(named(report)[0]).toContain('an invalid proof_block_hash in the row of ')
})

test('a kept sum of a day that is not that of its entries is named with both, also a missing one', async () => {
  const dayMs = 86_400_000
  const { createdAt } = (await store.searchPayments({ from: 0, to: 1e15, limit: 1 }))[0]!
  const from = createdAt - (createdAt % dayMs)
  const period = { from: from - dayMs, to: from + dayMs, now: from + 9 * dayMs }
  const [sum] = await store.revenueByDay(period)
  const revenue = sum!.revenue
  expect((await auditTestPaywall(paywall)).unexplained).toEqual([])

  const row = { table: 'daily_revenue', where: 'day > 0' }
  const { unexplained } = await auditWith(row, ['revenue', Number(revenue) + 7])
  expect(unexplained).toMatchObject([{ kind: 'revenue_differs', amount: 7n }])
  expect(unexplained[0]?.detail).toContain(`(${sum!.day}), ${sum!.model}: `)
  expect(unexplained[0]?.detail).toContain(`revenue ${revenue + 7n}, `)
  expect(unexplained[0]?.detail).toMatch(new RegExp(`must be .* revenue ${revenue}, `))

  const moved = await auditWith(row, ['model', 'maker/other'])
  expect(moved.unexplained.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['revenue_differs', revenue],
    ['revenue_differs', revenue],
  ])
  const nothing = '0 payments, revenue 0, provider_cost 0, unknown_costs 0'
  expect(moved.unexplained[0]?.detail).toContain(`, and must be ${nothing}`)
  expect(moved.unexplained[1]?.detail).toContain(`${sum!.model}: ${nothing}, `)
})
