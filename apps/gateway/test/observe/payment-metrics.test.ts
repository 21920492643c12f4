import { LedgerError } from '@farebox/ledger'
import { expect, test } from 'vitest'
import { createMetrics } from '../../src/observe/metrics.ts'
import { paymentMetrics } from '../../src/observe/payment-metrics.ts'

test('metrics show whether channels are stopped, and count claims', async () => {
  const reason = 'channel_claims_failing'
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

test('a row that cannot be read is counted as such, and not as another fault', async () => {
  const metrics = createMetrics()
  const observe = paymentMetrics(metrics)
  observe({ type: 'fault', during: 'recovery', error: new LedgerError('corrupt_row', 'a row') })
  const text = await metrics.registry.metrics()
  expect(text).toContain('farebox_payment_events_total{event="row_unreadable"} 1')
  expect(text).toContain('farebox_payment_events_total{event="fault"} 0')
})
