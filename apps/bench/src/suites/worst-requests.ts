import { setTimeout as pause } from 'node:timers/promises'
import type { DevnetAccount } from '@farebox/devnet'
import { type WorstRequest, worstPaidRequests, worstRequests } from '../attacks/worst-requests.ts'
import { farebox } from '../gateway/contenders.ts'
import { openStage } from '../gateway/stage.ts'
import { readOffer, signPayments } from '../load/sign-payments.ts'
import { type PeerProcess, startPeer } from '../peers/peer-process.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

/** How the largest requests that anyone can send affect the requests of others. */
export const worstRequestsSuite: Suite = {
  name: 'worst-requests',
  question: 'how long requests at the limits hold the event loop',
  run: async ({ isQuick }) => {
    const stage = await openStage()
    try {
      const file = 'apps/bench/src/peers/rejecting-upstream.ts'
      const { url } = stage.adopt(await startPeer({ file }))
      const keys = { OPENAI_API_KEY: 'bench', ANTHROPIC_API_KEY: 'bench' }
      const gateway = await farebox(stage, { ...keys, ANTHROPIC_BASE_URL: `${url}/v1` })
      await warmUp(gateway)
      gateway.watchTurns()
      const rounds = isQuick ? 1 : 10
      const figures: Figures[] = []
      for (const worst of worstRequests()) {
        figures.push(
          await measure(
            gateway,
            worst,
            times(rounds, () => ({})),
          ),
        )
      }
      for (const worst of worstPaidRequests()) {
        const paid = await sign(gateway, worst, stage.devnet.payers.slice(0, rounds))
        figures.push(await measure(gateway, { ...worst, name: `${worst.name}, paid` }, paid))
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
  for (const { path } of worstRequests()) {
    await send(gateway, path, { body: '{"messages":[]}' })
  }
  // The first seconds compile and open what others need later.
  await pause(3_000)
  await gateway.usage()
}

async function measure(
  gateway: PeerProcess,
  { name, path, body }: WorstRequest,
  rounds: readonly PaymentHeader[],
): Promise<Figures> {
  await gateway.usage()
  const startedAt = performance.now()
  let status = 0
  for (const payment of rounds) ({ status } = await send(gateway, path, { body, payment }))
  const seconds = (performance.now() - startedAt) / 1_000 / rounds.length
  const { loopDelay, longestTurn } = await gateway.usage()
  const megabytes = Buffer.byteLength(body) / 1_000_000
  return { name, path, megabytes, status, seconds, loopDelay: loopDelay ?? Number.NaN, longestTurn }
}

/** None for a request that asks for the price. */
type PaymentHeader = { readonly 'payment-signature'?: string }

/** Pays for a request once by each payer: a provider that rejects it counts against its payer. */
async function sign(
  gateway: PeerProcess,
  { path, body }: WorstRequest,
  payers: readonly DevnetAccount[],
): Promise<readonly PaymentHeader[]> {
  const { headers } = await send(gateway, path, { body })
  const offer = readOffer(headers.get('payment-required') ?? '', 'exact')
  const signed = await signPayments(offer, payers, payers.length)
  return signed.map((payment) => ({ 'payment-signature': payment }))
}

async function send(
  gateway: PeerProcess,
  path: string,
  { body, payment }: { readonly body: string; readonly payment?: PaymentHeader },
): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...payment }
  const response = await fetch(gateway.url + path, { method: 'POST', body, headers })
  await response.arrayBuffer()
  return response
}

function times<Value>(count: number, make: () => Value): readonly Value[] {
  return Array.from({ length: count }, make)
}

function worstReport(figures: readonly Figures[]): Report {
  return {
    name: 'worst-requests',
    title: 'The most work that a request can be',
    conditions: [
      'Each request ten times, one after another, to a gateway with its default settings but for the rate limit, which allows 100 a minute from one address. Those that are not paid are answered with a price or an error; those that are paid are sent to a provider, which rejects them.',
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
