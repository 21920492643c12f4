import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { createHealthMonitor } from '../../src/observe/health-monitor.ts'

/** Monitors a gateway in which everything else works. */
function monitorHealth() {
  return createHealthMonitor({
    dependencies: () => new Map(),
    redis: () => undefined,
    providers: () => new Map(),
    unavailableModels: () => 0,
    soldModels: () => ['maker/model'],
    fileProblems: () => [],
  })
}

test('the health states no balance before it was read', () => {
  const health = monitorHealth()
  const states = () => health.condition().dependencies
  expect(states()).toEqual({ treasury: 'unknown', relayer: 'unknown' })
  expect(health.condition().status).toBe('ok')
  const read = { type: 'balances_read', treasury: atomicUsdc(1n), relayer: 1n } as const
  health.observe(read)
  health.observe({ type: 'relayer_low', balance: 1n, minimum: 2n })
  expect(states()).toEqual({ treasury: 'ok', relayer: 'low' })
  health.observe(read)
  expect(states()).toEqual({ treasury: 'ok', relayer: 'ok' })
  health.observe({ ...read, relayer: null })
  expect(states()).toEqual({ treasury: 'ok' })
})

test('channels that are stopped degrade the health, and sales by exact continue', () => {
  const reason = 'channel_claims_failing'
  const health = monitorHealth()
  health.observe({ type: 'channels_stopped', reason })
  expect(health.condition()).toMatchObject({ status: 'degraded', issues: ['channels_stopped'] })
  expect(health.salesObstacle()).toBeUndefined()
  health.observe({ type: 'channels_resumed', reason })
  expect(health.condition().status).toBe('ok')
})

test('refunds that were paused for one reason after another resume all at once', () => {
  const health = monitorHealth()
  for (const reason of ['signer_down', 'rpc_down'] as const) {
    health.observe({ type: 'refunds_paused', reason })
  }
  expect(health.condition().issues).toEqual(['refunds_paused'])
  health.observe({ type: 'refunds_resumed', reason: 'rpc_down' })
  expect(health.condition().status).toBe('ok')
})
