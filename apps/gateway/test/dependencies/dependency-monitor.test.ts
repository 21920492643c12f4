import { expect, test } from 'vitest'
import {
  createDependencyMonitor,
  type DependencyCheck,
} from '../../src/dependencies/dependency-monitor.ts'

test('each reason of an outage is logged once, whatever its numbers, and then its end', async () => {
  const down = (reason: string): DependencyCheck => ({ status: 'unavailable', reason })
  const checks: DependencyCheck[] = [
    { status: 'ok' },
    down('refused'),
    down('the latest block is 300 seconds old'),
    down('the latest block is 301 seconds old'),
    down('refused'),
    { status: 'ok' },
    { status: 'ok' },
  ]
  const lines: unknown[] = []
  const log = (line: unknown): void => void lines.push(line)
  const monitor = createDependencyMonitor({
    // The first failure is confirmed by a second check.
    dependencies: [{ name: 'chain', check: async () => checks.shift() ?? { status: 'ok' } }],
    logger: { info: log, warn: log },
    everyMs: 1,
    retryMs: 1,
  })
  await monitor.start()
  await expect.poll(() => checks.length).toBe(0)
  monitor.stop()
  const chain = { event: 'dependency_down', name: 'chain', status: 'unavailable' }
  expect(lines).toEqual([
    { ...chain, reason: 'the latest block is 300 seconds old' },
    { ...chain, reason: 'refused' },
    { event: 'dependency_up', name: 'chain' },
  ])
})
