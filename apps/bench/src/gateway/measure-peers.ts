import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { type Load, runLoad, type Timing } from '../load/run-load.ts'
import { median, percentile } from '../percentile.ts'
import { type CaseName, caseNames, isServedBy, prepareCalls } from './cases.ts'
import type { Contender } from './contenders.ts'
import type { Stage } from './stage.ts'

export type RunSize = {
  readonly rounds: number
  /** Calls of each peer in each round: the same number for all, since code gets faster as it runs. */
  readonly requests: number
  readonly atOnce: number
}

/** The figures of one peer in one case, over all rounds. */
export type PeerFigures = {
  readonly peer: string
  readonly case: CaseName
  readonly requests: number
  /** Medians over the rounds, of the process, in microseconds. */
  readonly cpu: number
  readonly perCore: number
  /** Milliseconds, at `atOnce`. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds of a whole request, at one at a time. */
  readonly alone: number
  /** Milliseconds of one request, beyond the provider's own; null if nothing is relayed. */
  readonly addedFirstByte: number | null
  /** The same without the settlement. */
  readonly addedUnsettled: number | null
  /** The same without any wait for the chain's node. */
  readonly addedOffChain: number | null
  /** Resident megabytes after the last round. */
  readonly memory: number
  /** The highest of the rounds, in milliseconds. */
  readonly loopDelay: number | null
}

type Sample = {
  readonly cpu: number
  readonly memory: number
  readonly loopDelay: number | null
  readonly timings: readonly Timing[]
  /** Calls made one at a time. */
  readonly alone: readonly Timing[]
}

/** How long to wait, so that the refunds of a round do not slow down the next single request. */
const refundsMs = 1_000

/**
 * A request that comes after a pause takes longer, at every peer. The settled ones have a pause in
 * them, while the chain works; with one before each request, all peers are measured alike.
 */
export const idleMs = 20

type Pairing = {
  readonly name: CaseName
  readonly contender: Contender
  readonly samples: Sample[]
}

/**
 * Measures all peers in turn, round by round, so that a slowdown of the machine affects all of them.
 * The first round warms up and is not counted.
 */
export async function measurePeers(
  stage: Stage,
  contenders: readonly Contender[],
  size: RunSize,
): Promise<readonly PeerFigures[]> {
  const direct = provider(stage)
  const pairings = caseNames.flatMap((name) =>
    [direct, ...contenders]
      .filter((contender) => isServedBy(name, contender))
      .map((contender): Pairing => ({ name, contender, samples: [] })),
  )
  for (let round = 0; round <= size.rounds; round += 1) {
    for (const { name, contender, samples } of pairings) {
      const sample = await takeSample(stage, { name, contender }, size)
      if (round > 0) samples.push(sample)
    }
  }
  const alone = new Map(
    pairings
      .filter(({ contender }) => contender === direct)
      .map(({ name, samples }) => [name, medianAlone(samples, firstByte)]),
  )
  return pairings
    .filter(({ contender }) => contender !== direct)
    .map((pairing) => figuresOf(pairing, alone.get(pairing.name)))
}

/** The provider by itself: the minimum time to the first byte. */
function provider({ upstream }: Stage): Contender {
  return { name: 'provider', selling: 'unpaid', headers: {}, streams: true, peer: upstream }
}

async function takeSample(
  { devnet: { payers } }: Stage,
  { name, contender }: Pick<Pairing, 'name' | 'contender'>,
  { requests: count, atOnce }: RunSize,
): Promise<Sample> {
  const isUnsettled = contender.selling === 'unpaid' || contender.signVouchers !== undefined
  const settles = !isUnsettled && name.startsWith('paid')
  const aloneCount = Math.ceil(count / 20)
  const calls = await prepareCalls({ name, contender, payers, count: count + aloneCount })
  const dispatcher = new Agent({ connections: atOnce, pipelining: 1 })
  const load = { dispatcher, origin: contender.peer.url, atOnce } satisfies Omit<Load, 'calls'>
  try {
    const before = await contender.peer.usage()
    const timings = await runLoad({ ...load, calls: calls.slice(0, count) })
    const { cpu, memory, loopDelay } = await contender.peer.usage()
    if (settles) await pause(refundsMs)
    const alone = await runLoad({ ...load, calls: calls.slice(count), atOnce: 1, idleMs })
    return { cpu: (cpu - before.cpu) / count, memory, loopDelay, timings, alone }
  } finally {
    await dispatcher.close()
  }
}

function figuresOf({ name, contender, samples }: Pairing, direct: number | undefined): PeerFigures {
  const cpu = median(samples.map((sample) => sample.cpu))
  const whole = samples.flatMap(({ timings }) => timings.map((timing) => timing.whole))
  const added = (of: (timing: Timing) => number): number | null =>
    name.startsWith('paid') && direct !== undefined ? medianAlone(samples, of) - direct : null
  const delays = samples.flatMap(({ loopDelay }) => loopDelay ?? [])
  return {
    peer: contender.name,
    case: name,
    requests: whole.length,
    cpu,
    perCore: 1_000_000 / cpu,
    p50: median(whole),
    p99: percentile(whole, 0.99),
    alone: medianAlone(samples, ({ whole }) => whole),
    addedFirstByte: added(firstByte),
    addedUnsettled: added((timing) => timing.firstByte - timing.settling),
    addedOffChain: added((timing) => timing.firstByte - timing.settling - timing.asking),
    memory: (samples.at(-1)?.memory ?? 0) / 1024 / 1024,
    loopDelay: delays.length === 0 ? null : Math.max(...delays),
  }
}

function firstByte(timing: Timing): number {
  return timing.firstByte
}

function medianAlone(samples: readonly Sample[], of: (timing: Timing) => number): number {
  return median(samples.flatMap(({ alone }) => alone.map(of)))
}
