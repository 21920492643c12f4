import { expect, test } from 'vitest'
import { createHealthMonitor } from '../../src/observe/health-monitor.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { paymentMetrics } from '../../src/observe/payment-metrics.ts'

const reason = 'channel_claims_failing'

test('channels that are stopped degrade the health, and sales by exact continue', () => {
  const health = createHealthMonitor({
    dependencies: () => new Map(),
    redis: () => undefined,
    providers: () => new Map(),
    unavailableModels: () => 0,
    fileProblems: () => [],
  })
  health.observe({ type: 'channels_stopped', reason })
  expect(health.condition()).toMatchObject({ status: 'degraded', issues: ['channels_stopped'] })
  expect(health.salesObstacle()).toBeUndefined()
  health.observe({ type: 'channels_resumed', reason })
  expect(health.condition().status).toBe('ok')
})

test('metrics tell whether channels are stopped, and count claims and settlements', async () => {
  const metrics = createMetrics()
  const observe = paymentMetrics(metrics)
  observe({ type: 'channels_stopped', reason })
  observe({ type: 'channels_claimed', claimed: 3, refused: 1, waiting: 2 })
  const text = await metrics.registry.metrics()
  expect(text).toContain(`farebox_channels_stopped{reason="${reason}"} 1`)
  expect(text).toContain('farebox_channel_claims_total{outcome="claimed"} 3')
  expect(text).toContain('farebox_channel_claims_total{outcome="refused"} 1')
  observe({ type: 'channels_resumed', reason })
  expect(await metrics.registry.metrics()).toContain(
    `farebox_channels_stopped{reason="${reason}"} 0`,
  )
})
