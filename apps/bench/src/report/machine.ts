import { execFileSync } from 'node:child_process'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'

/** Where and when figures were taken. */
export type Machine = {
  readonly date: string
  readonly commit: string
  readonly node: string
  readonly system: string
  readonly processor: string
  readonly cores: number
  readonly memoryGigabytes: number
  /** The load average of the last minute, when the run ended. */
  readonly load: number
}

export function describeMachine(): Machine {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' })
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: commit.trim(),
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  }
}
