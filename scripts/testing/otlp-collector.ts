import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { vi } from 'vitest'

/** For `vi.waitFor`: exports come within moments, but on a busy machine not within its second. */
export const patiently = { timeout: 60_000, interval: 20 }

export type Export = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type CollectedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly failed: boolean
  readonly from: bigint
  readonly until: bigint
}

export type CollectedMetric = {
  readonly name: string
  readonly points: readonly {
    readonly attributes: Readonly<Record<string, unknown>>
    readonly value: number | undefined
    readonly count: number | undefined
    readonly sum: number | undefined
    readonly bucketCounts: readonly number[] | undefined
    readonly explicitBounds: readonly number[] | undefined
  }[]
}

export type Collector = {
  readonly url: string
  readonly exports: readonly Export[]
  /** How exports are answered from now on, with those that wait for an answer. */
  respond(how: number | 'never'): void
  spans(): readonly CollectedSpan[]
  /** Waits until a span has arrived. */
  span(found: (span: CollectedSpan) => boolean): Promise<CollectedSpan>
  /** The metrics of the latest export. */
  metrics(): readonly CollectedMetric[]
  close(): void
}

/** An OpenTelemetry collector on loopback, which reads the JSON encoding. */
export async function openCollector(): Promise<Collector> {
  const exports: Export[] = []
  let answer: number | 'never' = 200
  const waiting: ServerResponse[] = []
  function respondAll(): void {
    if (answer === 'never') return
    for (const response of waiting.splice(0)) response.writeHead(answer).end()
  }
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      exports.push({ path: request.url ?? '', headers: request.headers, body })
      waiting.push(response)
      respondAll()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const of = (path: string) => exports.filter((sent) => sent.path === path)
  const spans = () => of('/v1/traces').flatMap(({ body }) => spansOf(body))
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    respond: (how) => {
      answer = how
      respondAll()
    },
    spans,
    span: (found) =>
      vi.waitFor(() => {
        const span = spans().find(found)
        if (span === undefined) throw new Error(`not among ${spans().length} spans`)
        return span
      }, patiently),
    metrics: () =>
      of('/v1/metrics')
        .slice(-1)
        .flatMap(({ body }) => metricsOf(body)),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> }

function valuesOf(attributes: readonly Attribute[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[type, of] = []] = Object.entries(value)
      return [key, type === 'intValue' ? Number(of) : of]
    }),
  )
}

type TracesExport = {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

type OtlpSpan = Pick<CollectedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'kind'> & {
  readonly attributes?: readonly Attribute[]
  readonly links?: CollectedSpan['links']
  readonly status?: { readonly code?: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

function spansOf(body: Buffer): readonly CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as TracesExport
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      ...span,
      attributes: valuesOf(span.attributes),
      links: span.links ?? [],
      failed: span.status?.code === 2,
      from: BigInt(span.startTimeUnixNano),
      until: BigInt(span.endTimeUnixNano),
    }))
}

type MetricsExport = {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[]
  }[]
}

type OtlpMetric = { readonly name: string } & {
  readonly [Kind in 'sum' | 'gauge' | 'histogram']?: { readonly dataPoints: readonly OtlpPoint[] }
}

type OtlpPoint = Omit<CollectedMetric['points'][number], 'attributes' | 'value'> & {
  readonly attributes?: readonly Attribute[]
  readonly asDouble?: number
}

function metricsOf(body: Buffer): readonly CollectedMetric[] {
  const { resourceMetrics } = JSON.parse(body.toString()) as MetricsExport
  return resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .map(({ name, sum, gauge, histogram }) => ({
      name,
      points: ((sum ?? gauge ?? histogram)?.dataPoints ?? []).map((point) => ({
        ...point,
        attributes: valuesOf(point.attributes),
        value: point.asDouble,
      })),
    }))
}
