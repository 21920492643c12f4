import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../settings.ts'

export type Metrics = {
  readonly registry: Registry
  readonly requests: Counter<'status'>
  readonly requestSeconds: Histogram
  readonly payments: Counter<'event'>
  readonly rateLimitFallbacks: Counter
  readonly refundsPaused: Gauge
  readonly salesStopped: Gauge<'reason'>
}

/** The metrics of one gateway, in a registry of its own. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Counter({
      name: 'farebox_requests_total',
      help: 'Responses by status',
      labelNames: ['status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'farebox_request_seconds',
      help: 'Seconds from a request to the end of its response',
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
      registers,
    }),
    payments: new Counter({
      name: 'farebox_payment_events_total',
      help: 'Events of payments and refunds',
      labelNames: ['event'],
      registers,
    }),
    rateLimitFallbacks: new Counter({
      name: 'farebox_rate_limit_fallbacks_total',
      help: 'Requests counted in this process alone because Redis was unavailable',
      registers,
    }),
    refundsPaused: new Gauge({
      name: 'farebox_refunds_paused',
      help: '1 while refunds are paused',
      registers,
    }),
    salesStopped: new Gauge({
      name: 'farebox_sales_stopped',
      help: '1 while sales are stopped for this reason',
      labelNames: ['reason'],
      registers,
    }),
  }
}

/** Serves `GET /metrics` on a port of its own. */
export async function startMetricsServer(
  { registry }: Metrics,
  { HOST: host, METRICS_PORT: port }: Config,
): Promise<{ readonly close: () => Promise<void> }> {
  const server: Server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  return {
    close: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
