import { setTimeout as pause } from 'node:timers/promises'
import { startFlashblocks, startRpcFaults } from '@farebox/devnet/faults'
import { Agent } from 'undici'
import { prepareCalls } from '../gateway/cases.ts'
import { byChannel, type Contender, farebox, settling, sold } from '../gateway/contenders.ts'
import { ownKeys } from '../gateway/own-keys.ts'
import { peerVersions } from '../gateway/peer-versions.ts'
import { openStage, type Stage } from '../gateway/stage.ts'
import { type Call, runLoad } from '../load/run-load.ts'
import { startPeer } from '../peers/peer-process.ts'
import { median, percentile } from '../percentile.ts'
import type { Report } from '../report/report.ts'
import { printTable } from '../report/table.ts'
import type { Suite } from '../suite.ts'

const blockTime = 2
const nodeMs = 50
const thinkMs = 500
/** How often a node of Base shows what is new in the block that is being built. */
const flashblockMs = 200
/** So that requests fall at all times of a block. */
const everyMs = 270

/** Time to the first token on a chain like Base, settlement included. */
export const firstToken: Suite = {
  name: 'first-token',
  question: 'the first token of a paid stream, with a block every 2 s and a node 50 ms away',
  run: async ({ isQuick }) => {
    const stage = await openStage({ blockTime, thinkMs })
    const { rpcUrl } = stage.devnet
    const far = async (target: string) =>
      await startRpcFaults({ target, rule: () => ({ kind: 'delay', ms: nodeMs }) })
    const flashblocks = await startFlashblocks({ target: rpcUrl, everyMs: flashblockMs })
    const [node, showing] = [await far(rpcUrl), await far(flashblocks.url)]
    try {
      const away = { ...stage, devnet: { ...stage.devnet, rpcUrl: node.url } }
      const report = firstTokenReport(await measure(away, showing.url, isQuick ? 4 : 60))
      printTable(report.header, report.rows)
      return report
    } finally {
      await stage.close()
      for (const { stop } of [node, showing, flashblocks]) await stop()
    }
  },
}

type Figures = { readonly peer: string; readonly requests: number } & Record<'p50' | 'p99', number>

async function measure(
  stage: Stage,
  showingUrl: string,
  count: number,
): Promise<readonly Figures[]> {
  const database = (name: string) => ({ DATABASE_URL: `sqlite:${stage.folder}/${name}.sqlite` })
  const caps = {
    OVERLAP_CAP_PER_PAYER_USDC: '10',
    OVERLAP_CAP_USDC: '100',
  }
  const { adopt, upstream } = stage
  const bare = { file: 'apps/bench/src/peers/node-proxy.ts', args: [upstream.url] }
  const contenders: readonly Contender[] = [
    { name: 'farebox, first', ...sold, peer: await farebox(stage, database('first')) },
    {
      name: 'farebox, overlap',
      ...sold,
      peer: await farebox(stage, {
        ...database('overlap'),
        ...caps,
        SETTLE_MODE: 'overlap',
        ...(await ownKeys(stage)),
      }),
    },
    {
      name: 'farebox, preconfirmed',
      ...sold,
      peer: await farebox(stage, {
        ...database('preconfirmed'),
        ...caps,
        SETTLE_MODE: 'preconfirmed',
        RPC_URL: showingUrl,
        ...(await ownKeys(stage)),
      }),
    },
    { name: '@x402/express, settling', ...sold, peer: await settling(stage) },
    await byChannel(stage),
    { name: 'node:http proxy', ...sold, selling: 'unpaid', peer: adopt(await startPeer(bare)) },
    { name: 'the provider alone', ...sold, selling: 'unpaid', peer: upstream },
  ]
  const { payers } = stage.devnet
  const prepared = contenders.map(async (contender) => {
    const calls = await prepareCalls({ name: 'paid SSE', contender, payers, count })
    return { contender, calls }
  })
  return await Promise.all((await Promise.all(prepared)).map(timesOf))
}

type Prepared = { readonly contender: Contender; readonly calls: readonly Call[] }

/** All contenders at the same moments, each request on its own. */
async function timesOf({ contender, calls }: Prepared): Promise<Figures> {
  const count = calls.length
  const dispatcher = new Agent({ connections: count })
  const load = { dispatcher, origin: contender.peer.url, atOnce: 1 }
  const sent = calls.map(async (call, index) => {
    await pause(index * everyMs)
    return await runLoad({ ...load, calls: [call] })
  })
  const times = (await Promise.all(sent)).flatMap((timings) => timings.map((one) => one.firstByte))
  await dispatcher.close()
  const [p50, p99] = [median(times), percentile(times, 0.99)]
  return { peer: contender.name, requests: count, p50, p99 }
}

function firstTokenReport(figures: readonly Figures[]): Report {
  return {
    name: 'first-token',
    title: 'The first token of a paid stream',
    conditions: [
      `A chain with a block every ${blockTime} s, a node that answers after ${nodeMs} ms, and a provider whose first token takes ${thinkMs} ms.`,
      `One request to each contender every ${everyMs} ms, from 50 payers; the payments were signed before.`,
      `\`by channel\` pays with a voucher from a channel that was opened before. \`first\` settles and proves a payment before it calls the provider. \`overlap\` (\`SETTLE_MODE=overlap\`) calls it while the payment settles and holds every byte until the transfer is proven. \`preconfirmed\` holds them until a node shows the transfer in the block that is being built, every ${flashblockMs} ms; such a receipt may be revoked. The stock middleware runs the handler first, and holds its whole response until its facilitator has settled.`,
    ],
    header: ['contender', 'requests', 'p50 ms', 'p99 ms'],
    rows: figures.map(({ peer, requests, p50, p99 }) => [
      peer,
      String(requests),
      p50.toFixed(0),
      p99.toFixed(0),
    ]),
    plots: [
      {
        name: 'p50',
        title: 'First token, median',
        unit: 'ms',
        bars: figures.map(({ peer, p50 }) => ({ label: peer, value: p50 })),
      },
    ],
    versions: peerVersions(),
    figures,
  }
}
