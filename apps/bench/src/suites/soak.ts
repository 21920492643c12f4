import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { farebox } from '../gateway/contenders.ts'
import { openStage, type Stage } from '../gateway/stage.ts'
import { type Caller, callKinds, createCallers } from '../load/callers.ts'
import { type PeerProcess, startPeer } from '../peers/peer-process.ts'
import type { Usage } from '../peers/usage-reporter.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

const callsPerSecond = 5
/** How many times the process is measured, after the first minute and at the end. */
const looks = 7
const restMs = 30_000

/** Whether a gateway that sells for a long time leaks memory, handles or files. */
export const soak: Suite = {
  name: 'soak',
  question: 'memory, heap, handles and files of a gateway that sells for --minutes',
  byName: true,
  run: async ({ isQuick, minutes }) => {
    const stage = await openStage()
    try {
      const seconds = isQuick ? 30 : minutes * 60
      const report = await measure(stage, seconds)
      printTable(report.header, report.rows)
      return report
    } finally {
      await stage.close()
    }
  },
}

type Look = Omit<Usage, 'cpu'> & {
  readonly minute: number
  readonly calls: number
  readonly failed: number
  /** Microseconds of CPU per call since the previous measurement; null without calls. */
  readonly cpuPerCall: number | null
  readonly ledger: number
  readonly log: number
}

async function measure(stage: Stage, seconds: number): Promise<Report> {
  const file = 'apps/bench/src/peers/slow-upstream.ts'
  const upstream = stage.adopt(await startPeer({ file, args: ['2'] }))
  const ledger = `${stage.folder}/soak.sqlite`
  const settings = { DATABASE_URL: `sqlite:${ledger}`, CHANNELS: 'on' }
  const peer = await farebox({ ...stage, upstream }, settings, ['--expose-gc'])
  const load = startLoad(createCallers(peer.url, stage.devnet))
  const look = await createLook({ peer, ledger, counts: load.counts })
  const looked: Look[] = []
  const warm = Math.min(60, seconds / 5)
  for (let number = 0; number < looks; number += 1) {
    const at = warm + ((seconds - warm) * number) / (looks - 1)
    await pause(Math.max(0, at * 1_000 - look.elapsedMs()))
    looked.push(await look.take())
  }
  await load.stop()
  await pause(restMs)
  looked.push(await look.take())
  return soakReport(looked, { seconds, kept: keptIn(ledger) })
}

type Watched = {
  readonly peer: PeerProcess
  readonly ledger: string
  readonly counts: () => { readonly calls: number; readonly failed: number }
}

async function createLook({ peer, ledger, counts }: Watched) {
  const begun = performance.now()
  const elapsedMs = (): number => performance.now() - begun
  let before = { cpu: (await peer.usage()).cpu, calls: 0 }
  async function take(): Promise<Look> {
    const { cpu, ...usage } = await peer.usage()
    const { calls, failed } = counts()
    const since = calls - before.calls
    const cpuPerCall = since === 0 ? null : (cpu - before.cpu) / since
    before = { cpu, calls }
    const files = { ledger: sizeOf(ledger), log: sizeOf(`${ledger}-wal`) }
    return { ...usage, ...files, minute: elapsedMs() / 60_000, calls, failed, cpuPerCall }
  }
  return { elapsedMs, take }
}

/** The payments in the ledger by kind, and how many of them are not final. */
function keptIn(ledger: string): string {
  const database = new DatabaseSync(ledger, { readOnly: true })
  const rows = database
    .prepare(
      'select kind, count(*) as payments, sum(unfinished) as open from payment group by kind',
    )
    .all()
  database.close()
  return rows
    .map(
      ({ kind, payments, open }) =>
        `${String(payments)} of kind ${String(kind)}, ${String(open)} of them not final`,
    )
    .join('; ')
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}

/** Makes calls at a steady rate, however long each takes. */
function startLoad(caller: Caller) {
  let [calls, failed] = [0, 0]
  const open = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const kind = callKinds[calls % callKinds.length] ?? 'JSON'
    calls += 1
    const call = caller
      .call(kind)
      .catch((error: unknown) => {
        failed += 1
        console.error(`${kind}: ${String(error)}`)
      })
      .finally(() => open.delete(call))
    open.add(call)
  }, 1_000 / callsPerSecond)
  return {
    counts: () => ({ calls, failed }),
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}

function soakReport(
  looked: readonly Look[],
  { seconds, kept }: { readonly seconds: number; readonly kept: string },
): Report {
  const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)
  return {
    name: 'soak',
    title: 'A gateway that sells for long',
    conditions: [
      `${callsPerSecond} calls a second for ${(seconds / 60).toFixed(0)} minutes, in turn: ${callKinds.join('; ')}. "left" disconnects after the first word. Each answer takes 2 s.`,
      'Settlement, proof, refunds and claims of channels on a local chain; SQLite. The heap is measured after a collection; the last row is 30 s after the last call.',
      `In the ledger at the end: ${kept}.`,
    ],
    header: [
      'minute',
      'calls',
      'failed',
      'resident MB',
      'heap MB',
      'handles',
      'loop p99 ms',
      'CPU µs a call',
      'ledger MB',
      'its log MB',
    ],
    rows: looked.map((look) => [
      look.minute.toFixed(1),
      look.calls.toLocaleString('en'),
      String(look.failed),
      megabytes(look.memory),
      megabytes(look.heap),
      String(look.handles),
      (look.loopDelay ?? Number.NaN).toFixed(1),
      look.cpuPerCall === null ? '–' : look.cpuPerCall.toFixed(0),
      megabytes(look.ledger),
      megabytes(look.log),
    ]),
    plots: [],
    versions: {},
    figures: looked,
  }
}
