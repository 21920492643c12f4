// Loaded into every measured Node process: answers a message of the benchmark with what the process
// has used. The program itself is not changed.
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** What a process has used since its start, and how late its event loop ran since the last report. */
export type Usage = {
  /** Microseconds, user and system, all threads. */
  readonly cpu: number
  /** Resident bytes. */
  readonly memory: number
  /** The 99th percentile of the event loop's delay, in milliseconds; null if it is not known. */
  readonly loopDelay: number | null
  /**
   * The most milliseconds of CPU that the main thread took in one turn of its event loop, once turns
   * are watched; 0 before.
   */
  readonly longestTurn: number
  /** Bytes of objects: garbage included, unless the process runs with `--expose-gc`. */
  readonly heap: number
  /** What keeps the process alive: sockets, timers, files, requests of the system. */
  readonly handles: number
}

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

let longestTurn = 0

/** Only if asked: the timer itself takes 1 to 3 % of a core. */
function watchTurns(): void {
  let turnBegan = mainThreadMilliseconds()
  setInterval(() => {
    const now = mainThreadMilliseconds()
    longestTurn = Math.max(longestTurn, now - turnBegan)
    turnBegan = now
  }, 1).unref()
}

function mainThreadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

process.on('message', (message) => {
  if (message === 'watch turns') watchTurns()
  if (message !== 'usage') return
  const { user, system } = process.cpuUsage()
  const loopDelay = Math.max(0, delay.percentile(99) / 1_000_000 - 5)
  globalThis.gc?.()
  delay.reset()
  const { rss: memory, heapUsed: heap } = process.memoryUsage()
  const handles = process.getActiveResourcesInfo().length
  const usage: Usage = { cpu: user + system, memory, loopDelay, longestTurn, heap, handles }
  process.send?.(usage)
  longestTurn = 0
})
// The channel must not keep a process running that has nothing left to do.
process.channel?.unref()
// A benchmark that is killed leaves no servers behind.
process.once('disconnect', () => process.exit())
