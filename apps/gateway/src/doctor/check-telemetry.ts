import { type OtlpTarget, otlpTarget } from '@farebox/http/settings'
import { basicAuthorization } from '@farebox/payments/chain'
import type { Config } from '../settings.ts'
import { type Finding, finding } from './finding.ts'

/** Sends the collector an export without content, of traces and of metrics; nothing if none is set. */
export async function checkTelemetry(config: Config): Promise<readonly Finding[]> {
  const target = otlpTarget(config)
  if (target === undefined) return []
  const { tracesUrl, metricsUrl } = target
  const found = await Promise.all([
    tracesUrl === undefined ? [] : checkSignal('traces', tracesUrl, target),
    metricsUrl === undefined ? [] : checkSignal('metrics', metricsUrl, target),
  ])
  return found.flat()
}

type Signal = 'traces' | 'metrics'

function checkSignal(
  subject: Signal,
  address: string,
  { protocol, headers, timeoutMs }: OtlpTarget,
): Promise<readonly Finding[]> {
  const fix = `start the collector, or correct OTEL_EXPORTER_OTLP_ENDPOINT`
  return finding({ subject, fix }, async () => {
    const json = protocol === 'http/json'
    const type = json ? 'application/json' : 'application/x-protobuf'
    const { url, headers: own } = basicAuthorization(new URL(address))
    const { status, ok } = await fetch(url, {
      method: 'POST',
      headers: { ...own, ...headers, 'Content-Type': type },
      // An empty message of protobuf is valid, and has no bytes.
      body: json ? '{}' : '',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { host } = url
    if (ok) return [{ verdict: 'ok', subject, message: `${host} accepts them` }]
    const message = `${host} responded ${status} to ${subject}`
    return [{ verdict: 'wrong', subject, message, fix: fixOf(status, subject) }]
  })
}

function fixOf(status: number, subject: Signal): string {
  if (status === 401 || status === 403) return 'correct the key in OTEL_EXPORTER_OTLP_HEADERS'
  const other = subject === 'traces' ? 'METRICS' : 'TRACES'
  return `correct OTEL_EXPORTER_OTLP_ENDPOINT; if the collector does not accept ${subject}, set OTEL_EXPORTER_OTLP_${other}_ENDPOINT alone`
}
