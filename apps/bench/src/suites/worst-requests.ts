import { setTimeout as pause } from 'node:timers/promises'
import { type WorstRequest, worstRequests } from '../attacks/worst-requests.ts'
import { farebox } from '../gateway/contenders.ts'
import { openStage } from '../gateway/stage.ts'
import type { PeerProcess } from '../peers/peer-process.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

/** How the largest requests that anyone can send affect the requests of others. */
export const worstRequestsSuite: Suite = {
  name: 'worst-requests',
  question: 'how long unpaid requests at the limits hold the event loop',
  run: async ({ isQuick }) => {
    const stage = await openStage()
    try {
      const keys = { OPENAI_API_KEY: 'bench', ANTHROPIC_API_KEY: 'bench' }
      const gateway = await farebox(stage, keys)
      await warmUp(gateway)
      gateway.watchTurns()
      const figures: Figures[] = []
      for (const worst of worstRequests()) {
        figures.push(await measure(gateway, worst, isQuick ? 1 : 10))
      }
      const report = worstReport(figures.toSorted((a, b) => b.longestTurn - a.longestTurn))
      printTable(report.header, report.rows)
      return report
    } finally {
      await stage.close()
    }
  },
}

type Figures = Pick<WorstRequest, 'name' | 'path'> & {
  readonly megabytes: number
  readonly status: number
  readonly seconds: number
  readonly loopDelay: number
  readonly longestTurn: number
}

async function warmUp(gateway: PeerProcess): Promise<void> {
  for (const { path } of worstRequests()) await send(gateway, path, '{"messages":[]}')
  // The first seconds compile and open what others need later.
  await pause(3_000)
  await gateway.usage()
}

async function measure(
  gateway: PeerProcess,
  { name, path, body }: WorstRequest,
  rounds: number,
): Promise<Figures> {
  await gateway.usage()
  const startedAt = performance.now()
  let status = 0
  for (let round = 0; round < rounds; round += 1) status = await send(gateway, path, body)
  const seconds = (performance.now() - startedAt) / 1_000 / rounds
  const { loopDelay, longestTurn } = await gateway.usage()
  const megabytes = Buffer.byteLength(body) / 1_000_000
  return { name, path, megabytes, status, seconds, loopDelay: loopDelay ?? Number.NaN, longestTurn }
}

async function send(gateway: PeerProcess, path: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(gateway.url + path, { method: 'POST', body, headers })
  await response.arrayBuffer()
  return response.status
}

function worstReport(figures: readonly Figures[]): Report {
  return {
    name: 'worst-requests',
    title: 'The most work that an unpaid request can be',
    conditions: [
      'Each request ten times, one after another, to a gateway with its default settings but for the rate limit, which allows 100 a minute from one address.',
      'The longest turn is the most processor time that the main thread took before it could serve other requests, garbage collection included. The p99 of the delay is measured by the clock, so the client and other programs on the machine add to it.',
    ],
    header: ['request', 'path', 'MB', 'status', 's each', 'loop p99 ms', 'longest turn ms'],
    rows: figures.map(({ name, path, megabytes, status, seconds, loopDelay, longestTurn }) => [
      name,
      `\`${path}\``,
      megabytes.toFixed(1),
      String(status),
      seconds.toFixed(2),
      loopDelay.toFixed(0),
      longestTurn.toFixed(0),
    ]),
    plots: [],
    versions: {},
    figures,
  }
}
