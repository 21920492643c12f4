import { createReasonFilter, type Logger } from '@farebox/http/log'

export type DependencyName = 'chain' | 'database' | 'facilitator'

export type DependencyCheck =
  | { readonly status: 'ok' }
  /** `wrong`: it responds, but it is not the one that the configuration needs. */
  | { readonly status: 'unavailable' | 'wrong'; readonly reason: string }

export type Dependency = {
  readonly name: DependencyName
  check(): Promise<DependencyCheck>
}

export type DependencyMonitor = {
  /** The last known state of each dependency. */
  states(): ReadonlyMap<DependencyName, DependencyCheck>
  /** Checks every dependency now and then repeatedly. Resolves after the first checks. */
  start(): Promise<void>
  stop(): void
}

export type DependencyMonitorOptions = {
  readonly dependencies: readonly Dependency[]
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Called after each check. */
  readonly onCheck?: (name: DependencyName, check: DependencyCheck) => void
  /** Milliseconds between two checks of one dependency. */
  readonly everyMs: number
  /** Milliseconds until a check that failed is repeated: one failure alone changes nothing. */
  readonly retryMs: number
}

/** Checks what the gateway depends on; logs each reason of an outage once, and its end once. */
export function createDependencyMonitor(options: DependencyMonitorOptions): DependencyMonitor {
  const { dependencies, logger, onCheck, everyMs, retryMs } = options
  const states = new Map<DependencyName, DependencyCheck>()
  const timers = new Map<DependencyName, NodeJS.Timeout>()
  const outages = new Map<DependencyName, (reason: string) => boolean>()
  let running = false

  async function checkOnce(dependency: Dependency): Promise<void> {
    const { name } = dependency
    const before = states.get(name)
    const found = await dependency.check()
    const isFirstFailure = before?.status === 'ok' && found.status !== 'ok'
    const confirmed = isFirstFailure ? await checkAgain(dependency, retryMs) : found
    states.set(name, confirmed)
    onCheck?.(name, confirmed)
    report(name, confirmed)
  }

  function report(name: DependencyName, found: DependencyCheck): void {
    if (found.status === 'ok') {
      if (outages.delete(name)) logger.info({ event: 'dependency_up', name })
      return
    }
    const isNew = outages.get(name) ?? createReasonFilter()
    outages.set(name, isNew)
    if (isNew(found.reason)) logger.warn({ event: 'dependency_down', name, ...found })
  }

  async function round(dependency: Dependency): Promise<void> {
    await checkOnce(dependency)
    if (!running) return
    const pause = states.get(dependency.name)?.status === 'ok' ? everyMs : retryMs
    const timer = setTimeout(() => void round(dependency), pause)
    timers.set(dependency.name, timer.unref())
  }

  return {
    states: () => states,
    start: async () => {
      running = true
      await Promise.all(dependencies.map(round))
    },
    stop: () => {
      running = false
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

async function checkAgain(dependency: Dependency, afterMs: number): Promise<DependencyCheck> {
  await new Promise((resolve) => setTimeout(resolve, afterMs).unref())
  return dependency.check()
}
