import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LedgerStore, PaymentRecord } from '@farebox/ledger'
import { openLedger } from '@farebox/ledger/sql'
import { hasPostgres, startPostgres } from '../../../../scripts/testing/postgres.ts'
import { fillLedger, paymentsIn } from '../growth/fill-ledger.ts'
import { ledgerQuestions, type Question } from '../growth/ledger-questions.ts'
import { median } from '../percentile.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

/** How long the console, the rounds and a request wait for a large ledger. */
export const largeLedger: Suite = {
  name: 'large-ledger',
  question: 'the questions of console and rounds with --payments in the ledger',
  byName: true,
  run: async (options) => {
    const payments = options.isQuick ? 10_000 : options.payments
    const databases = []
    for (const url of options.ledgers) databases.push(await askAll(url, paymentsIn(url)))
    if (options.ledgers.length === 0) {
      databases.push(await inNewSqlite(payments))
      if (hasPostgres()) databases.push(await inNewPostgres(payments))
    }
    const report = ledgerReport(databases)
    printTable(report.header, report.rows)
    return report
  },
}

type Answers = {
  readonly database: string
  readonly payments: number
  /** In milliseconds, by question. */
  readonly times: readonly (Pick<Question, 'asker' | 'name'> & { readonly ms: readonly number[] })[]
}

async function inNewSqlite(payments: number): Promise<Answers> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  try {
    return await fillAndAsk(`sqlite:${join(folder, 'ledger.sqlite')}`, payments)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function inNewPostgres(payments: number): Promise<Answers> {
  const server = await startPostgres()
  try {
    return await fillAndAsk(server.url, payments)
  } finally {
    await server.stop()
  }
}

async function fillAndAsk(url: string, payments: number): Promise<Answers> {
  const begun = performance.now()
  await fillLedger(url, { payments, open: 'some' })
  console.log(`filled in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  return await askAll(url, payments)
}

const rounds = 5

async function askAll(url: string, payments: number): Promise<Answers> {
  const store = await openLedger({ url })
  const now = Date.now()
  const times = []
  for (const { asker, name, ask } of ledgerQuestions(await anyRefunded(store, now), now)) {
    const ms = []
    // Revenue is read from the entries once, and then from what was kept.
    const often = name.endsWith('first') ? 1 : rounds
    for (let round = 0; round < often; round += 1) {
      const start = performance.now()
      await ask(store)
      ms.push(performance.now() - start)
    }
    times.push({ asker, name, ms })
    console.log(`${name}: ${ms.map((one) => one.toFixed(1)).join(' ')} ms`)
  }
  await store.close()
  return { database: url.startsWith('sqlite') ? 'SQLite' : 'PostgreSQL', payments, times }
}

async function anyRefunded(store: LedgerStore, now: number): Promise<PaymentRecord> {
  const search = { from: 0, to: now - 100 * 86_400_000, limit: 50, status: 'completed' } as const
  const found = await store.searchPayments(search)
  const known = found.find(({ refund, settlement }) => settlement !== null && refund?.nonce)
  if (known === undefined) throw new Error('The ledger has no refunded payment')
  return known
}

function ledgerReport(databases: readonly Answers[]): Report {
  const [first] = databases
  return {
    name: 'large-ledger',
    title: 'Questions to a large ledger',
    conditions: [
      `${databases.map(({ database, payments }) => `${payments.toLocaleString('en')} payments in ${database}`).join(', ')}: of a year, each fifth a call of a channel, the others sales with refunds; some in every state. Written by SQL.`,
      `Each question is asked ${rounds} times in a row: the first time and the median of the others. Wall time: a busy machine shows in it.`,
      'With SQLite a question of a round holds the event loop of its process for this time; the console is a separate process.',
    ],
    header: [
      'asked by',
      'question',
      ...databases.flatMap(({ database }) => [`${database}, first ms`, 'then ms']),
    ],
    rows: (first?.times ?? []).map(({ asker, name }, index) => [
      asker,
      name,
      ...databases.flatMap(({ times }) => {
        const [one = Number.NaN, ...others] = times[index]?.ms ?? []
        return [one.toFixed(1), others.length === 0 ? '–' : median(others).toFixed(1)]
      }),
    ]),
    plots: [],
    versions: {},
    figures: databases,
  }
}
