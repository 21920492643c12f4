import { Gauge } from 'prom-client'
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { createMetrics, startMetricsServer } from '../../src/observe/metrics.ts'

test('metrics that cannot be read are a 500', async () => {
  const port = await freePort()
  const metrics = createMetrics()
  new Gauge({
    name: 'broken',
    help: 'Fails',
    registers: [metrics.registry],
    collect: () => Promise.reject(new Error('the database is gone')),
  })
  const server = await startMetricsServer(metrics, { host: '127.0.0.1', port })
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('the database is gone')
  } finally {
    await server.close()
  }
})
