import { statSync } from 'node:fs'
import { Agent } from 'undici'
import { prepareCalls } from '../gateway/cases.ts'
import { type Contender, farebox } from '../gateway/contenders.ts'
import { ownKeys } from '../gateway/own-keys.ts'
import { openStage, type Stage } from '../gateway/stage.ts'
import { fillLedger } from '../growth/fill-ledger.ts'
import { runLoad } from '../load/run-load.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

const full = { ledgers: [10_000, 1_000_000], rounds: 5, requests: 300 }
const quick = { ledgers: [100, 10_000], rounds: 1, requests: 100 }

/** What a paid request costs in a large ledger. */
export const growth: Suite = {
  name: 'growth',
  question: 'a paid request with few and with many payments in the ledger',
  run: async ({ isQuick }) => {
    const size = isQuick ? quick : full
    const stage = await openStage()
    try {
      const sizes = []
      for (const payments of size.ledgers) sizes.push(await openSize(stage, payments))
      for (let round = 0; round <= size.rounds; round += 1) {
        for (const { contender, samples } of sizes) {
          const sample = await takeSample(stage, contender, size.requests)
          if (round > 0) samples.push(sample)
        }
      }
      const report = growthReport(sizes, size.requests)
      printTable(report.header, report.rows)
      return report
    } finally {
      await stage.close()
    }
  },
}

type Sample = { readonly cpu: number; readonly p50: number; readonly memory: number }

type LedgerSize = {
  readonly payments: number
  readonly megabytes: number
  readonly contender: Contender
  readonly samples: Sample[]
}

/** A gateway writes the schema, the rows are added, and a gateway starts on them. */
async function openSize(stage: Stage, payments: number): Promise<LedgerSize> {
  const file = `${stage.folder}/growth-${payments}.sqlite`
  const settings = { DATABASE_URL: `sqlite:${file}`, ...(await ownKeys(stage)) }
  const first = await farebox({ ...stage, adopt: (peer) => peer }, settings)
  await first.stop()
  fillLedger(file, payments)
  const megabytes = statSync(file).size / 1024 / 1024
  const peer = await farebox(stage, settings)
  const contender = {
    name: `${payments}`,
    selling: 'x402',
    headers: {},
    streams: true,
    peer,
  } as const
  return { payments, megabytes, contender, samples: [] }
}

async function takeSample(
  { devnet: { payers } }: Stage,
  contender: Contender,
  count: number,
): Promise<Sample> {
  const calls = await prepareCalls({ name: 'paid JSON', contender, payers, count })
  const dispatcher = new Agent({ connections: 50, pipelining: 1 })
  const before = await contender.peer.usage()
  const timings = await runLoad({ dispatcher, origin: contender.peer.url, calls, atOnce: 50 })
  const after = await contender.peer.usage()
  await dispatcher.close()
  return {
    cpu: (after.cpu - before.cpu) / count,
    p50: median(timings.map(({ whole }) => whole)),
    memory: after.memory / 1024 / 1024,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function growthReport(sizes: readonly LedgerSize[], requests: number): Report {
  const figures = sizes.map(({ payments, megabytes, samples }) => ({
    payments,
    megabytes,
    cpu: median(samples.map(({ cpu }) => cpu)),
    p50: median(samples.map(({ p50 }) => p50)),
    memory: samples.at(-1)?.memory ?? Number.NaN,
  }))
  return {
    name: 'growth',
    title: 'A paid request as the ledger grows',
    conditions: [
      `One gateway for each ledger, in turn, ${requests} paid JSON requests a round, 50 at once; medians of the rounds. SQLite.`,
      'The payments of the ledger are of a year, served, refunded and final, written by SQL; their nonces and transactions are spread over the indexes.',
    ],
    header: ['payments in the ledger', 'file MB', 'CPU µs', 'p50 ms', 'resident MB'],
    rows: figures.map(({ payments, megabytes, cpu, p50, memory }) => [
      payments.toLocaleString('en'),
      megabytes.toFixed(0),
      cpu.toFixed(0),
      p50.toFixed(0),
      memory.toFixed(0),
    ]),
    plots: [],
    versions: {},
    figures,
  }
}
