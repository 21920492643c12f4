import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createPaymentId, type PaymentId, type RefundTransfer } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import express from 'express'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { type Collector, openCollector } from '../../../../scripts/testing/otlp-collector.ts'
import { readConfig } from '../../src/config.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { createRequestLog } from '../../src/observe/request-log.ts'
import { openTelemetry } from '../../src/telemetry/open-telemetry.ts'
import type { Telemetry } from '../../src/telemetry/telemetry.ts'

const lines: string[] = []
const logger = pino({ base: null }, { write: (line: string) => lines.push(line) })
let collector: Collector
beforeEach(async () => {
  lines.length = 0
  collector = await openCollector()
})
afterEach(() => {
  collector.close()
})

type Environment = Readonly<Record<string, string>>

async function open(environment: Environment): Promise<Telemetry | undefined> {
  const parsed = readConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...environment })
  if (parsed.status === 'invalid') throw new Error(parsed.problems.join(' '))
  const { registry } = createMetrics()
  return openTelemetry({ config: parsed.config, logger, registry, version: '1', now: Date.now })
}

/** Serves one request whose connection comes from a proxy that is trusted, or from a stranger. */
async function serve(
  telemetry: Telemetry | undefined,
  { trusted, traceparent }: { readonly trusted: string; readonly traceparent: string },
): Promise<void> {
  const app = express().set('trust proxy', [trusted])
  const startTrace = telemetry?.startTrace
  const log = createRequestLog({ logger, metrics: createMetrics(), network: 'devnet', startTrace })
  app.use(log.handler)
  app.get('/things/:id', (_, response) => {
    response.end()
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const path = `/things/${'x'.repeat(2000)}?key=canaryquery`
  await fetch(`http://127.0.0.1:${port}${path}`, { headers: { traceparent } })
  server.closeAllConnections()
  server.close()
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const traceparent = `00-${traceId}-${spanId}-01`
const proxied = { trusted: '127.0.0.1', traceparent }
const stranger = { trusted: '192.0.2.1', traceparent }

test('without an address nothing is exported, and without a trace the log line has no trace id', async () => {
  const telemetry = await open({})
  expect(telemetry).toBeUndefined()
  await serve(telemetry, proxied)
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain('traceId')
})

test('closing sends what is left; the route, not the path, names a span, and no query is in it', async () => {
  const telemetry = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` })
  await serve(telemetry, proxied)
  expect(collector.exports).toEqual([])
  await telemetry?.close()
  expect(collector.spans()).toHaveLength(1)
  const [span] = collector.spans()
  expect(span).toMatchObject({ traceId, parentSpanId: spanId, name: 'GET /things/:id', links: [] })
  expect(span?.attributes['url.path']).toHaveLength(512)
  expect(collector.exports.map(({ body }) => body.toString()).join()).not.toContain('canaryquery')
  expect(collector.metrics().map(({ name }) => name)).toContain('http.server.request.duration')
})

test('an untrusted request begins its own trace, with a link to the one it names', async () => {
  const telemetry = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  await serve(telemetry, stranger)
  await telemetry?.close()
  const [span] = collector.spans()
  expect(span?.traceId).not.toBe(traceId)
  expect(span?.parentSpanId).toBeUndefined()
  expect(span?.links).toMatchObject([{ traceId, spanId }])
})

test('protobuf is the default, and a signal without an address is not exported', async () => {
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
    OTEL_EXPORTER_OTLP_PROTOCOL: '',
  })
  await serve(telemetry, proxied)
  await telemetry?.close()
  expect(collector.exports).toHaveLength(1)
  const [sent] = collector.exports
  expect(sent?.path).toBe('/own/path')
  expect(sent?.headers['content-type']).toBe('application/x-protobuf')
  expect(sent?.body.includes(Buffer.from(traceId, 'hex'))).toBe(true)
  expect(sent?.body.includes('GET /things/:id')).toBe(true)
})

test.each([
  ['always_off', proxied, 0],
  ['always_on', { ...proxied, traceparent: `00-${traceId}-${spanId}-00` }, 1],
  ['parentbased_always_off', proxied, 1],
  ['parentbased_always_off', stranger, 0],
  ['parentbased_always_on', { ...proxied, traceparent: `00-${traceId}-${spanId}-00` }, 0],
])('%s samples as it says, and metrics count every request', async (sampler, request, spans) => {
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: sampler,
  })
  await serve(telemetry, request)
  await telemetry?.close()
  expect(collector.spans()).toHaveLength(spans)
  const requests = collector.metrics().find(({ name }) => name === 'http.server.request.duration')
  expect(requests?.points).toMatchObject([{ count: 1 }])
})

test.each([
  ['traceidratio', '0', 0],
  ['traceidratio', '1', 1],
])('%s of %s exports that share', async (sampler, share, spans) => {
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: share,
  })
  await serve(telemetry, proxied)
  await telemetry?.close()
  expect(collector.spans()).toHaveLength(spans)
})

test('nothing listens: the request is served, and one line for each signal gives the reason', async () => {
  const telemetry = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '1',
  })
  await serve(telemetry, proxied)
  await telemetry?.close()
  const logged = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(logged.filter(({ event }) => event === 'request')).toMatchObject([{ status: 200 }])
  expect(logged.filter(({ event }) => event === 'telemetry_down')).toHaveLength(2)
})

const idOf = (byte: number) => createPaymentId(byte, new Uint8Array(10))
const [first, second, unknown] = [idOf(1), idOf(2), idOf(3)]

test('the refund of a batch is linked to the traces of its payments that are known', async () => {
  const telemetry = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const joined = [first, second].map((id) => {
    const request = { method: 'POST', headers: {}, protocol: 'http' }
    const trace = telemetry?.startTrace(request as never, Date.now())
    trace?.join({ id } as never)
    return trace?.traceId
  })
  const payments = [first, second, unknown]
  telemetry?.observe({ type: 'refund_blocked', transfer: transferOf(payments), reason: 'reverts' })
  telemetry?.observe({ type: 'refund_confirmed', transfer: transferOf([unknown]) })
  await telemetry?.close()
  const [blocked, lone] = collector.spans()
  expect(blocked?.links.map(({ traceId: of }) => of)).toEqual(joined)
  expect(blocked).toMatchObject({ name: 'refund', failed: true })
  expect(blocked?.attributes).toMatchObject({
    'error.type': 'reverts',
    'farebox.refund.amount': 7,
    'farebox.refund.payment_count': 3,
  })
  expect(blocked?.parentSpanId).toBeUndefined()
  expect(lone).toMatchObject({ failed: false, links: [] })
  expect(lone?.parentSpanId).toBeUndefined()
})

function transferOf(payments: readonly PaymentId[]): RefundTransfer {
  return {
    nonce: `0x${'a'.repeat(64)}`,
    version: 1,
    chainId: 84_532,
    asset: `0x${'1'.repeat(40)}`,
    payer: `0x${'2'.repeat(40)}`,
    amount: atomicUsdc(7n),
    payments,
    sequence: null,
    status: 'confirmed',
    validBefore: null,
    signature: null,
    signedAt: Date.now(),
    transaction: null,
    proof: null,
    reason: null,
    attempts: 1,
    nextAttemptAt: 0,
    lease: null,
    createdAt: 0,
    updatedAt: 0,
  }
}
