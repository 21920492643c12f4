import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { prepareCalls } from '../gateway/cases.ts'
import { farebox, sold } from '../gateway/contenders.ts'
import { openStage, type Stage } from '../gateway/stage.ts'
import { runLoad } from '../load/run-load.ts'
import { startPeer } from '../peers/peer-process.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

/** The words of one stream in a second, as slow-upstream.ts sends them. */
const wordsPerSecond = 5
const windowMs = 5_000

/** What paid streams cost while they are open. */
export const openStreams: Suite = {
  name: 'open-streams',
  question: 'CPU, memory and delay of 10 to 1,000 paid streams at once',
  run: async ({ isQuick }) => {
    const figures: Figures[] = []
    for (const streams of isQuick ? [10] : [10, 100, 1_000]) figures.push(await measure(streams))
    const report = streamsReport(figures)
    printTable(report.header, report.rows)
    return report
  },
}

type Figures = {
  readonly streams: number
  /** Microseconds of the process for each word that was relayed. */
  readonly cpuPerWord: number
  /** The share of a core that was used. */
  readonly core: number
  readonly memory: number
  readonly loopDelay: number
}

async function measure(streams: number): Promise<Figures> {
  const stage = await openStage()
  try {
    return await measureOpen(stage, streams)
  } finally {
    await stage.close()
  }
}

/** In the middle of the streams, when all of them are paid and open. */
async function measureOpen(stage: Stage, streams: number): Promise<Figures> {
  const seconds = 20 + streams / 20
  const file = 'apps/bench/src/peers/slow-upstream.ts'
  const upstream = stage.adopt(await startPeer({ file, args: [String(seconds)] }))
  const peer = await farebox({ ...stage, upstream })
  const contender = { name: 'farebox', ...sold, peer }
  const { payers } = stage.devnet
  const calls = await prepareCalls({ name: 'paid SSE', contender, payers, count: streams })
  const dispatcher = new Agent({ connections: streams, pipelining: 1, bodyTimeout: 0 })
  const done = runLoad({ dispatcher, origin: peer.url, calls, atOnce: streams })
  await pause((seconds - 10) * 1_000)
  const before = await peer.usage()
  await pause(windowMs)
  const { cpu, memory, loopDelay } = await peer.usage()
  await done
  await dispatcher.close()
  const words = (streams * wordsPerSecond * windowMs) / 1_000
  return {
    streams,
    cpuPerWord: (cpu - before.cpu) / words,
    core: (cpu - before.cpu) / 1_000 / windowMs,
    memory: memory / 1024 / 1024,
    loopDelay: loopDelay ?? Number.NaN,
  }
}

function streamsReport(figures: readonly Figures[]): Report {
  return {
    name: 'open-streams',
    title: 'Paid streams that are open at once',
    conditions: [
      `A provider that sends each stream ${wordsPerSecond} words a second. Measured for ${windowMs / 1_000} s when all streams are paid and open, refunds and the chain included.`,
    ],
    header: ['streams', 'CPU µs a word', 'share of a core', 'resident MB', 'loop p99 ms'],
    rows: figures.map(({ streams, cpuPerWord, core, memory, loopDelay }) => [
      streams.toLocaleString('en'),
      cpuPerWord.toFixed(0),
      `${(core * 100).toFixed(0)} %`,
      memory.toFixed(0),
      loopDelay.toFixed(1),
    ]),
    plots: [],
    versions: {},
    figures,
  }
}
