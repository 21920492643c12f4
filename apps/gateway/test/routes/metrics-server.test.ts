import { atomicUsdc } from '@farebox/money'
import { Router } from 'express'
import { pino } from 'pino'
import { Gauge } from 'prom-client'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { startMetricsServer } from '../../src/routes/metrics-server.ts'
import { openGateway } from '../support/open-gateway.ts'

test('metrics that cannot be read are a 500', async () => {
  const port = await freePort()
  const metrics = createMetrics()
  new Gauge({
    name: 'broken',
    help: 'Fails',
    registers: [metrics.registry],
    collect: () => Promise.reject(new Error('the database is gone')),
  })
  const server = await startMetricsServer(metrics, { host: '127.0.0.1', port, probes: Router() })
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('the database is gone')
  } finally {
    await server.close()
  }
})

test('probes on the port of the metrics, which the log names, have no rate limit, when that of their address is used up', async () => {
  const lines: string[] = []
  const logger = pino({ base: null }, { write: (line: string) => lines.push(line) })
  const gateway = await openGateway({ METRICS_PORT: '0', RATE_LIMIT_PER_MINUTE: '1' }, logger)
  const logged = lines.map((line) => JSON.parse(line) as { readonly event: string })
  const metrics = logged.find(({ event }) => event === 'metrics_listening')
  const { url: own } = z.object({ url: z.url() }).parse(metrics)
  const status = async (url: string) => (await fetch(url)).status
  try {
    await status(`${gateway.url}/ready`)
    expect(await status(`${gateway.url}/ready`)).toBe(429)
    for (const path of ['/ready', '/v1/health', '/metrics']) {
      expect(await status(`${own}${path}`)).toBe(200)
    }
    const other = await fetch(`${own}/v1/models`)
    expect(other.status).toBe(404)
    expect(await other.json()).toEqual({ error: 'Not found. GET /metrics has the metrics.' })
  } finally {
    await gateway.stop()
  }
})

test('a frozen channel is in the metrics until nothing is left in it', async () => {
  const port = await freePort()
  const { store, ...gateway } = await openGateway({ METRICS_PORT: String(port) })
  const frozen = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return /^farebox_channels_frozen (\d+)$/m.exec(text)?.[1]
  }
  const hex = (digit: string, bytes: number) => `0x${digit.repeat(2 * bytes)}` as const
  const id = hex('c', 32)
  // The gateway has read no logs of such a block.
  const logged = (logIndex: number) => ({
    amount: atomicUsdc(7_000n),
    proof: { transaction: hex('d', 32), block: 9_000_000, blockHash: hex('e', 32), logIndex },
    at: 1,
  })
  try {
    const [payer, receiver, token] = [hex('1', 20), hex('2', 20), hex('3', 20)]
    const ends = { payer, payerAuthorizer: payer, receiver, receiverAuthorizer: receiver, token }
    const config = { ...ends, withdrawDelay: 900, salt: hex('4', 32) }
    await store.openChannel({ id, chainId: 84_532, config, seenBlock: 9_000_000, createdAt: 1 })
    await store.applyToChannel({ id }, { type: 'deposit_proven', ...logged(1) })
    expect(await frozen()).toBe('0')
    await store.applyToChannel({ id }, { type: 'frozen', reason: 'claimed_beyond_ledger', at: 1 })
    expect(await frozen()).toBe('1')
    await store.applyToChannel({ id }, { type: 'returned', by: 'withdrawal', ...logged(2) })
    expect(await frozen()).toBe('0')
  } finally {
    await gateway.stop()
  }
})

test('a request that fails is counted with the faults', async () => {
  const port = await freePort()
  const gateway = await openGateway({ METRICS_PORT: String(port) })
  const faults = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return /^farebox_payment_events_total\{event="fault"\} (\d+)$/m.exec(text)?.[1]
  }
  try {
    expect(await faults()).toBe('0')
    Object.assign(gateway.store, { load: () => Promise.reject(new Error('a fault')) })
    const response = await fetch(`${gateway.url}/v1/payments/pay_${'0'.repeat(32)}`)
    expect(response.status).toBe(500)
    expect(await faults()).toBe('1')
  } finally {
    await gateway.stop()
  }
})
