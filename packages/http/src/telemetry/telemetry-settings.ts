import {
  httpUrl,
  integer,
  oneOf,
  type SettingTable,
  type SettingValues,
  setting,
} from '@farebox/settings'
import { z } from 'zod'

/**
 * `key=value` pairs, separated by commas, with percent-encoded values: the form of
 * `OTEL_EXPORTER_OTLP_HEADERS` in the OpenTelemetry specification. The error never repeats the value:
 * headers hold keys.
 */
const pairs = z.string().transform((text, check): Readonly<Record<string, string>> => {
  const read = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(readPair)
  const entries = read.filter((pair) => pair !== undefined)
  if (entries.length === read.length) return Object.fromEntries(entries)
  check.addIssue('is not a valid list: use key=value,key=value, with percent-encoded values')
  return z.NEVER
})

/** A key is a token, as in the name of a header (RFC 9110, section 5.6.2). */
function readPair(text: string): readonly [string, string] | undefined {
  const [, key, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/s.exec(text) ?? []
  const decoded = value === undefined ? undefined : percentDecoded(value.trim())
  return key === undefined || decoded === undefined ? undefined : [key, decoded]
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const headers = pairs.refine(
  (values) => Object.values(values).every((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)),
  'has a value that cannot be sent in a header',
)

const ratio = z
  .string()
  .regex(/^(0?\.\d+|0|1(\.0+)?)$/, 'must be a number from 0 to 1')
  .transform(Number)

/** OpenTelemetry's standard variables that a service reads. It exports only with an address. */
export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    httpUrl.optional(),
    'off',
    'URL of an OpenTelemetry collector (OTLP over HTTP): traces go to URL/v1/traces, metrics to URL/v1/metrics',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(
    httpUrl.optional(),
    'that of OTEL_EXPORTER_OTLP_ENDPOINT',
    'URL for traces, used as it is',
  ),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: setting(
    httpUrl.optional(),
    'that of OTEL_EXPORTER_OTLP_ENDPOINT',
    'URL for metrics, used as it is',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(
    oneOf(['http/protobuf', 'http/json']).default('http/protobuf'),
    'http/protobuf',
    'http/protobuf or http/json',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    headers.default({}),
    'none',
    'headers for the collector, such as its API key: key=value,key=value',
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: setting(
    integer(1, 60_000).default(10_000),
    '10000',
    'milliseconds after which an export is abandoned',
  ),
  OTEL_SERVICE_NAME: setting(
    z.string().min(1).optional(),
    'farebox-gateway or farebox-estimator',
    'name of the service in traces and metrics',
  ),
  OTEL_RESOURCE_ATTRIBUTES: setting(
    pairs.default({}),
    'none',
    'attributes of this process in traces and metrics: key=value,key=value',
  ),
  OTEL_TRACES_SAMPLER: setting(
    oneOf([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ]).default('parentbased_always_on'),
    'parentbased_always_on',
    'which traces are exported: always_on, always_off or traceidratio, alone or after parentbased_',
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    ratio.default(1),
    '1',
    'share of the traces that a traceidratio sampler exports, from 0 to 1',
  ),
  OTEL_BSP_SCHEDULE_DELAY: setting(
    integer(1, 3_600_000).default(5_000),
    '5000',
    'milliseconds between two exports of traces',
  ),
  OTEL_METRIC_EXPORT_INTERVAL: setting(
    integer(1, 86_400_000).default(60_000),
    '60000',
    'milliseconds between two exports of metrics',
  ),
} as const satisfies SettingTable

export type TelemetryConfig = SettingValues<typeof telemetrySettings>
