import type { Plot, Report } from '../report/report.ts'
import type { CaseName } from './cases.ts'
import { idleMs, type PeerFigures, type RunSize } from './measure-peers.ts'
import { peerVersions } from './peer-versions.ts'

/** The figures of a run as tables and plots. */
export function peerReport(figures: readonly PeerFigures[], size: RunSize): Report {
  return {
    name: 'gateway',
    title: 'A request to the gateway and to its peers',
    conditions: conditions(size),
    header,
    rows: figures.map(row),
    plots: [
      plot(figures, {
        name: 'cpu-json',
        of: 'paid JSON',
        title: 'CPU of a JSON request',
        unit: 'µs',
      }),
      plot(figures, {
        name: 'cpu-sse',
        of: 'paid SSE',
        title: 'CPU of a streamed request',
        unit: 'µs',
      }),
    ],
    versions: peerVersions(),
    figures,
  }
}

function conditions({ rounds, requests, atOnce }: RunSize): readonly string[] {
  return [
    `One interleaved run: ${rounds} rounds after one to warm up, each peer in turn in each round, ${requests} requests each, ${atOnce} at once. CPU is the median of the rounds; p50 and p99 are over all requests.`,
    'Each peer runs in its own process and reports its CPU of all threads, its memory, and the delay of its event loop. The load, the provider (which answers at once), the chain (anvil) and the peers share the cores, so compare CPU; times depend on what else is running.',
    `\`alone\` and \`first byte\` are medians at one request at a time, each ${idleMs} ms after the one before: of the whole request, and of what comes on top of the provider’s own first byte, measured the same way. \`unsettled\` is the first byte without the settlement, which lasts from the durable claim to the proof as \`Server-Timing\` reports it; \`off chain\` also leaves out the wait for the node to say what the payer holds. The writes of claim and proof count in both.`,
    'Paid requests carry payments that were signed before. farebox claims, settles, proves, serves, and owes the refund, all durably. `by channel` is the gateway paid with vouchers, from channels that were opened before: nothing settles on the chain. `settling` is the stock middleware with the stock facilitator in its process on the same chain: it settles, without claim, proof or refund. `instant` says yes to every payment. The other peers serve the same request unpaid.',
    'Portkey is measured without streams: its server answers them with a TypeError on this version of Node.',
  ]
}

const header = [
  'case',
  'peer',
  'CPU µs',
  'requests/s per core',
  'p50 ms',
  'p99 ms',
  'alone ms',
  'first byte ms',
  'unsettled ms',
  'off chain ms',
  'MB',
  'loop p99 ms',
]

function row(figures: PeerFigures): readonly string[] {
  return [
    figures.case,
    figures.peer,
    figures.cpu.toFixed(0),
    figures.perCore.toFixed(0),
    figures.p50.toFixed(1),
    figures.p99.toFixed(1),
    figures.alone.toFixed(1),
    figures.addedFirstByte?.toFixed(1) ?? '',
    figures.addedUnsettled?.toFixed(1) ?? '',
    figures.addedOffChain?.toFixed(1) ?? '',
    figures.memory.toFixed(0),
    figures.loopDelay?.toFixed(1) ?? '',
  ]
}

type PlotOf = Pick<Plot, 'name' | 'title' | 'unit'> & { readonly of: CaseName }

function plot(figures: readonly PeerFigures[], { of, ...rest }: PlotOf): Plot {
  const shown = figures.filter((figure) => figure.case === of)
  return { ...rest, bars: shown.map(({ peer, cpu }) => ({ label: peer, value: cpu })) }
}
