import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { prepareCalls } from '../gateway/cases.ts'
import { farebox, sold } from '../gateway/contenders.ts'
import { openStage, type Stage } from '../gateway/stage.ts'
import { runLoad } from '../load/run-load.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

const blockTime = 2
const restSeconds = 20
/** 10 blocks until the refund, 64 until it is final, and the rounds between them. */
const watchedSeconds = 180

/** What a payment costs after its answer, on a chain like Base. */
export const watching: Suite = {
  name: 'watching',
  question:
    'CPU of a payment and its refund after the answer, with the blocks and confirmations of Base',
  byName: true,
  run: async ({ isQuick }) => {
    const stage = await openStage({ blockTime })
    try {
      const report = watchingReport(await measure(stage, isQuick ? 20 : 1_000))
      printTable(report.header, report.rows)
      return report
    } finally {
      await stage.close()
    }
  },
}

type Figures = {
  readonly payments: number
  /** Milliseconds of CPU a second, before any payment. */
  readonly rest: number
  /** Microseconds of CPU a payment, without the CPU at rest: until the last answer, and after it. */
  readonly untilAnswer: number
  readonly afterAnswer: number
  /** Payments and refunds that are not final at the end. */
  readonly open: number
}

async function measure(stage: Stage, count: number): Promise<Figures> {
  const { devnet, folder } = stage
  const ledger = `${folder}/watching.sqlite`
  const peer = await farebox(stage, {
    NETWORK: 'base-sepolia',
    DATABASE_URL: `sqlite:${ledger}`,
    TREASURY_PRIVATE_KEY: devnet.treasury.privateKey,
    RELAYER_PRIVATE_KEY: devnet.relayer.privateKey,
    REFUND_MIN_USDC: '0.000001',
  })
  const contender = { name: 'farebox', ...sold, peer }
  const calls = await prepareCalls({ name: 'paid JSON', contender, payers: devnet.payers, count })
  const used = async (): Promise<{ cpu: number; at: number }> => {
    const { cpu } = await peer.usage()
    return { cpu, at: performance.now() / 1_000 }
  }
  await pause(restSeconds * 1_000)
  const before = await used()
  await pause(restSeconds * 1_000)
  const begun = await used()
  const rest = (begun.cpu - before.cpu) / (begun.at - before.at)
  const dispatcher = new Agent({ connections: 250, pipelining: 1 })
  await runLoad({ dispatcher, origin: peer.url, calls, atOnce: 250 })
  await dispatcher.close()
  const answered = await used()
  await pause(watchedSeconds * 1_000)
  const ended = await used()
  const perPayment = (from: typeof begun, until: typeof begun): number =>
    (until.cpu - from.cpu - rest * (until.at - from.at)) / count
  return {
    payments: count,
    rest: rest / 1_000,
    untilAnswer: perPayment(begun, answered),
    afterAnswer: perPayment(answered, ended),
    open: openIn(ledger),
  }
}

/** Payments and refunds that are not final. */
function openIn(ledger: string): number {
  const database = new DatabaseSync(ledger, { readOnly: true })
  const row = database
    .prepare(
      `select (select count(*) from payment where unfinished = 1)
        + (select count(*) from refund_transfer where status <> 'final') as open`,
    )
    .get()
  database.close()
  return Number(row?.['open'])
}

function watchingReport(figures: Figures): Report {
  const { payments, rest, untilAnswer, afterAnswer, open } = figures
  return {
    name: 'watching',
    title: 'A payment after its answer',
    conditions: [
      `A chain with a block every ${blockTime} s, and the confirmations of Base: 10 before a refund is sent, 64 until a transfer is final. SQLite.`,
      `${payments} paid JSON requests, 250 at once, each with a refund. What the process uses at rest is measured before, and is not part of the figures of a payment.`,
      `The last column counts payments and refunds that were not final ${watchedSeconds} s after the last answer.`,
    ],
    header: [
      'payments',
      'at rest, ms of CPU a second',
      'CPU µs a payment until the answer',
      'after the answer',
      'open',
    ],
    rows: [
      [
        payments.toLocaleString('en'),
        rest.toFixed(1),
        untilAnswer.toFixed(0),
        afterAnswer.toFixed(0),
        String(open),
      ],
    ],
    plots: [],
    versions: {},
    figures: [figures],
  }
}
