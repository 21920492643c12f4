import { otlpTarget } from '@farebox/http/settings'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'

function read(environment: Readonly<Record<string, string>>) {
  const parsed = readConfig(environment)
  return parsed.status === 'valid' ? otlpTarget(parsed.config) : parsed.problems
}

test.each([
  ['http://collector:4318', 'http://collector:4318/v1/traces', 'http://collector:4318/v1/metrics'],
  ['https://otlp.example/base/', 'https://otlp.example/base/v1/traces', undefined],
])(
  'signals go below %s, unless they have an address of their own',
  (url, tracesUrl, metricsUrl) => {
    const own = 'https://metrics.example/in'
    const target = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      ...(metricsUrl === undefined && { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: own }),
    })
    expect(target).toMatchObject({ tracesUrl, metricsUrl: metricsUrl ?? own })
  },
)

test('headers are read as the specification writes them', () => {
  const target = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi, x-scope = a=b+c%2C,',
  })
  expect(target).toMatchObject({ headers: { Authorization: 'Basic YTpi', 'x-scope': 'a=b+c,' } })
})

const headersProblem =
  'OTEL_EXPORTER_OTLP_HEADERS is not a valid list: use key=value,key=value, with percent-encoded values.'

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /is not a valid URL: use http:\/\/ or https:/],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://collector', /is not a valid URL/],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /must be http\/protobuf or http\/json, not "grpc"/],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /must be always_on, .* not "jaeger_remote"/],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5', /must be a number from 0 to 1/],
  ['OTEL_EXPORTER_OTLP_TIMEOUT', '0', /must be an integer from 1 to 60000/],
])('%s=%s is an error', (name, value, problem) => {
  expect(read({ [name]: value })).toEqual([expect.stringMatching(problem)])
})

test.each(['canary', 'a b=canary', 'key=%zzcanary'])(
  'a list of headers %j is an error without it',
  (value) => {
    expect(read({ OTEL_EXPORTER_OTLP_HEADERS: value })).toEqual([headersProblem])
  },
)

test('a header that cannot be sent is an error', () => {
  expect(read({ OTEL_EXPORTER_OTLP_HEADERS: 'key=a%0D%0Acanary' })).toEqual([
    'OTEL_EXPORTER_OTLP_HEADERS has a value that cannot be sent in a header.',
  ])
})
