import { LedgerError } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { expect, test } from 'vitest'
import { createHealthMonitor } from '../../src/observe/health-monitor.ts'

/** Monitors a gateway in which everything else works. */
function monitorHealth(now = () => 0) {
  return createHealthMonitor({
    dependencies: () => new Map(),
    redis: () => undefined,
    providers: () => new Map(),
    unavailableModels: () => 0,
    soldModels: () => ['maker/model'],
    fileProblems: () => [],
    now,
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

test('a balance that stops sales is low, although it was enough when it was read', () => {
  const health = monitorHealth()
  const states = () => health.condition().dependencies
  health.observe({ type: 'balances_read', treasury: atomicUsdc(9n), relayer: 9n })
  health.observe({ type: 'sales_stopped', reason: 'relayer_empty' })
  expect(states()).toEqual({ treasury: 'ok', relayer: 'low' })
  health.observe({ type: 'sales_resumed', reason: 'relayer_empty' })
  health.observe({ type: 'sales_stopped', reason: 'treasury_short' })
  expect(states()).toEqual({ treasury: 'low', relayer: 'ok' })
  health.observe({ type: 'sales_resumed', reason: 'treasury_short' })
  expect(states()).toEqual({ treasury: 'ok', relayer: 'ok' })
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

test('a row that cannot be read degrades the health until it is no longer reported', () => {
  let now = 0
  const health = monitorHealth(() => now)
  const error = new LedgerError('corrupt_row', 'an invalid usage in the row of pay_1')
  health.observe({ type: 'fault', during: 'refunds', error: new Error('busy') })
  expect(health.condition().status).toBe('ok')
  health.observe({ type: 'fault', during: 'recovery', error })
  expect(health.condition()).toMatchObject({ status: 'degraded', issues: ['rows_unreadable'] })
  expect(health.salesObstacle()).toBeUndefined()
  now = 15 * 60_000
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
