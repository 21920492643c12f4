import { median } from './percentile.ts'

/** One of the programs that take turns. */
export type Turn = { readonly name: string; readonly run: () => unknown }

/** The time of a contender, in microseconds of CPU per call. */
export type Measurement = {
  readonly name: string
  readonly median: number
  readonly best: number
}

export type MeasureOptions = {
  /** Measured rounds, after one warm-up round. */
  readonly rounds: number
  /** Calls per round. */
  readonly calls: number
}

/**
 * Measures contenders in turn, round by round, so that a slowdown of the machine affects all of them.
 * Uses CPU time, not wall time, to exclude other processes.
 */
export async function measure(
  contenders: readonly Turn[],
  { rounds, calls }: MeasureOptions,
): Promise<readonly Measurement[]> {
  const samples = contenders.map((contender) => {
    const taken: number[] = []
    return { contender, taken }
  })
  for (let round = 0; round <= rounds; round += 1) {
    for (const { contender, taken } of samples) {
      const perCall = (await cpuTime(contender, calls)) / calls
      if (round > 0) taken.push(perCall)
    }
  }
  return samples.map(({ contender, taken }) => summarize(contender.name, taken))
}

async function cpuTime(contender: Turn, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let call = 0; call < calls; call += 1) await contender.run()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function summarize(name: string, taken: readonly number[]): Measurement {
  return { name, median: median(taken), best: Math.min(...taken) }
}
