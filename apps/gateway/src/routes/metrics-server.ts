import { createServer } from 'node:http'
import { closeServer, listen } from '@farebox/http'
import express, { type RequestHandler } from 'express'
import type { Metrics } from '../observe/metrics.ts'

export type MetricsServerOptions = {
  readonly host: string
  readonly port: number
  /** Health and readiness, for probes that must not share the rate limit of a client's address. */
  readonly probes: RequestHandler
}

/** Serves `GET /metrics` and the probes on a separate port, whose URL it returns. */
export async function startMetricsServer(
  { registry }: Metrics,
  { probes, ...address }: MetricsServerOptions,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const app = express().disable('x-powered-by')
  app.get('/metrics', (_, response) => {
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  app.use(probes)
  app.use((_, response) => {
    response.status(404).json({ error: 'Not found. GET /metrics has the metrics.' })
  })
  const server = createServer(app)
  const url = await listen(server, address)
  return { url, close: async () => await closeServer(server) }
}
