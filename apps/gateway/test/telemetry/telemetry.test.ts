import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  type CollectedSpan,
  type Collector,
  openCollector,
  patiently,
} from '../../../../scripts/testing/otlp-collector.ts'
import { answerWith, openUpstream, type UpstreamServer } from '../contract/upstream-server.ts'
import { chatOf } from '../support/buy.ts'
import { openGateway, type TestGateway } from '../support/open-gateway.ts'
import { chatPath, post, signPayment } from '../support/sign-payment.ts'

const usage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 }
const secrets = {
  providerKey: 'sk-canary-otel-1',
  collectorKey: 'canary-otel-2',
  prompt: 'canaryprompt3',
  answer: 'canaryanswer4',
  replay: 'canary replay secret 5',
}

const lines: string[] = []
const logger = pino({ base: null }, { write: (line: string) => lines.push(line) })
let collector: Collector
let upstream: UpstreamServer
let gateway: TestGateway
beforeAll(async () => {
  collector = await openCollector()
  upstream = await openUpstream({
    stream: (response) => {
      answerWith(response, secrets.answer, usage)
    },
    refuse: (response) => response.writeHead(500).end(),
  })
  const environment = {
    OPENAI_BASE_URL: upstream.url,
    OPENAI_API_KEY: secrets.providerKey,
    SANDBOX_PROVIDER: 'off',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${secrets.collectorKey}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20test',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '50',
  }
  gateway = await openGateway(environment, logger)
})
afterAll(async () => {
  await gateway.stop()
  upstream.close()
  collector.close()
})

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'

/** Buys with a replay secret, in the trace of the client. */
async function buyTraced(payer: number, word: string) {
  const body = chatOf(`${word} ${secrets.prompt}`, { stream: true })
  const { v2 } = await signPayment(gateway, payer, { body })
  const headers = {
    ...v2,
    'X-Replay-Secret': secrets.replay,
    traceparent: `00-${traceId}-${parent}-01`,
  }
  const response = await post(gateway, chatPath, { body, headers })
  return { response, text: await response.text(), signature: v2['PAYMENT-SIGNATURE'] }
}

const requestOf = (id: string | null) => (span: CollectedSpan) =>
  span.kind === 2 && span.attributes['farebox.request.id'] === id

test('a paid stream is one trace of the caller: its phases, the call of the model, and the refund', async () => {
  const { response, text, signature } = await buyTraced(0, 'stream')
  expect(text).toContain(secrets.answer)
  const id = response.headers.get('x-payment-id') ?? ''
  const record = await gateway.refunded(id)
  const refund = await collector.span(
    ({ name, attributes }) =>
      name === 'refund' && JSON.stringify(attributes['farebox.refund.payments']).includes(id),
  )
  const root = await collector.span(requestOf(response.headers.get('x-request-id')))
  expect(root).toMatchObject({
    traceId,
    parentSpanId: parent,
    name: `POST ${chatPath}`,
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.route': chatPath,
      'http.response.status_code': 200,
      'url.path': chatPath,
      'url.scheme': 'http',
      'client.address': '127.0.0.1',
      'farebox.payment.id': id,
      'farebox.payment.status': 'completed',
      'farebox.payment.network': 'eip155:84532',
      'farebox.payment.paid': Number(record.paid.usdc),
      'farebox.payment.cost': Number(record.cost?.usdc),
      'farebox.payment.refund': Number(record.refund?.usdc),
    },
  })
  const within = collector.spans().filter(({ parentSpanId }) => parentSpanId === root.spanId)
  const model = 'openai/gpt-4.1-mini'
  const admission = ['quote', 'check', 'payer', 'admit', 'settle', 'begin']
  expect(new Set(within.map(({ traceId: of }) => of))).toEqual(new Set([traceId]))
  expect(within.map(({ name }) => name).sort()).toEqual(
    [...admission, `chat ${model}`, 'bill', 'refund'].sort(),
  )
  const steps = within.filter(({ name }) => name !== 'refund').sort(byStart)
  for (const [index, { from, until }] of steps.entries()) {
    expect(from).toBeGreaterThanOrEqual(steps[index - 1]?.until ?? root.from)
    expect(until).toBeLessThanOrEqual(root.until)
  }
  expect(within.find(({ name }) => name === `chat ${model}`)).toMatchObject({
    kind: 3,
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': model,
      'gen_ai.response.model': model,
      'gen_ai.request.stream': true,
      'gen_ai.response.time_to_first_chunk': expect.any(Number) as number,
      'gen_ai.usage.input_tokens': usage.prompt_tokens,
      'gen_ai.usage.output_tokens': usage.completion_tokens,
    },
  })
  expect(refund).toMatchObject({
    failed: false,
    attributes: {
      'farebox.refund.amount': Number(record.refund?.usdc),
      'farebox.refund.transaction': record.refund?.transaction,
    },
  })
  const line = lines.map((written) => JSON.parse(written) as Readonly<Record<string, unknown>>)
  expect(
    line.find(({ paymentId, event }) => paymentId === id && event === 'request'),
  ).toMatchObject({ traceId })
  await expectNoSecrets([signature, signatureOf(signature)])
})

/** The exports so far and one more of each kind have none of the secrets. */
async function expectNoSecrets(more: readonly string[]): Promise<void> {
  const before = collector.exports.length
  await vi.waitFor(() => {
    const later = collector.exports.slice(before)
    expect(later.map(({ path }) => path)).toContain('/v1/metrics')
  }, patiently)
  const { access } = gateway
  const sent = Buffer.concat(collector.exports.map(({ body }) => body)).toString()
  expect(sent).toContain('a test')
  const keys = [access.treasuryKey, access.relayerKey ?? '']
  for (const secret of [...Object.values(secrets), ...keys, ...more]) {
    expect(secret).not.toBe('')
    expect(sent).not.toContain(secret)
  }
  expect(sent).not.toMatch(/0x[0-9a-f]{130}/i)
  for (const { headers } of collector.exports) {
    expect(headers['x-api-key']).toBe(secrets.collectorKey)
  }
}

function signatureOf(header: string): string {
  const decoded = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly payload: { readonly signature: string }
  }
  return decoded.payload.signature
}

function byStart(one: CollectedSpan, other: CollectedSpan): number {
  return Number(one.from - other.from)
}

test('the call of a provider that fails has its error, and the payment what it cost', async () => {
  const { response } = await buyTraced(1, 'refuse')
  expect(response.status).toBe(503)
  const root = await collector.span(requestOf(response.headers.get('x-request-id')))
  expect(root.failed).toBe(true)
  expect(root.attributes).toMatchObject({
    'error.type': '503',
    'farebox.payment.status': 'failed',
    'farebox.payment.cost': 0,
    'farebox.payment.reason': 'upstream_unavailable',
  })
  const call = await collector.span(
    ({ name, parentSpanId }) => parentSpanId === root.spanId && name.startsWith('chat '),
  )
  expect(call.failed).toBe(true)
  expect(call.attributes).toMatchObject({ 'error.type': 'upstream_unavailable' })
  expect(call.attributes).not.toHaveProperty('gen_ai.response.time_to_first_chunk')
})

test('metrics follow the conventions, and those of Prometheus keep their names', async () => {
  const asked = await post(gateway, chatPath, { body: chatOf('Hello.') })
  expect(asked.status).toBe(402)
  await vi.waitFor(() => {
    const named = (name: string) => collector.metrics().find((metric) => metric.name === name)
    const pointsOf = (name: string) => named(name)?.points ?? []
    const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai' }
    expect(pointsOf('gen_ai.client.token.usage')).toContainEqual(
      expect.objectContaining({
        sum: usage.prompt_tokens,
        attributes: expect.objectContaining({ ...call, 'gen_ai.token.type': 'input' }) as object,
      }),
    )
    for (const name of ['duration', 'time_to_first_chunk']) {
      expect(pointsOf(`gen_ai.client.operation.${name}`)).toContainEqual(
        expect.objectContaining({ attributes: expect.objectContaining(call) as object }),
      )
    }
    expect(pointsOf('http.server.request.duration')).toContainEqual(
      expect.objectContaining({
        attributes: expect.objectContaining({
          'http.route': chatPath,
          'http.response.status_code': 402,
        }) as object,
      }),
    )
    expect(pointsOf('farebox_sales_total')).toContainEqual(
      expect.objectContaining({ value: 1, attributes: { model: 'openai/gpt-4.1-mini' } }),
    )
    const [seconds] = pointsOf('farebox_request_seconds')
    expect(seconds?.explicitBounds).toEqual([0.005, 0.02, 0.1, 0.5, 2, 10, 60])
    expect(seconds?.bucketCounts?.reduce((sum, count) => sum + count)).toBe(seconds?.count)
    expect(pointsOf('nodejs_eventloop_lag_seconds')).toHaveLength(1)
  }, patiently)
})

test('calls are served while the collector fails or is silent, and each is logged once', async () => {
  const signals = (event: string) =>
    lines.map((line) => JSON.parse(line)).filter((line) => line.event === event)
  const tracesSent = () => collector.exports.filter(({ path }) => path === '/v1/traces').length
  collector.respond(400)
  for (const payer of [2, 3]) {
    const before = tracesSent()
    const { text } = await buyTraced(payer, 'stream')
    expect(text).toContain(secrets.answer)
    await vi.waitFor(() => {
      expect(tracesSent()).toBeGreaterThan(before)
    }, patiently)
  }
  await vi.waitFor(() => {
    expect(
      signals('telemetry_down')
        .map(({ signal }) => signal)
        .sort(),
    ).toEqual(['metrics', 'traces'])
  }, patiently)
  expect(signals('telemetry_down')[0]).toMatchObject({ level: 40, reason: 'HTTP 400' })
  collector.respond(200)
  await fetch(`${gateway.url}/v1/health`)
  await vi.waitFor(() => {
    expect(signals('telemetry_up')).toHaveLength(2)
  }, patiently)
  collector.respond('never')
  const { text } = await buyTraced(4, 'stream')
  expect(text).toContain(secrets.answer)
  collector.respond(200)
})
