import { createLogger } from '@farebox/http/log'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { declareBodies } from '../../../scripts/testing/declare-bodies.ts'
import { openCollector } from '../../../scripts/testing/otlp-collector.ts'
import { readConfig } from '../src/config.ts'
import { type Estimator, startEstimator } from '../src/start-estimator.ts'

let estimator: Estimator
beforeAll(async () => {
  const read = readConfig({ PORT: '0' })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  estimator = await startEstimator(read.values, createLogger('silent'))
})
afterAll(() => estimator.stop())

test('serves the free endpoints and no others', async () => {
  const get = async (path: string) => (await fetch(estimator.url + path)).status
  const post = async (path: string, body: object) =>
    (await fetch(estimator.url + path, { method: 'POST', body: JSON.stringify(body) })).status
  const hello = { messages: [{ role: 'user', content: 'Hello' }] }
  for (const path of [
    '/v1/health',
    '/health',
    '/v1/models',
    '/v1/images/models',
    '/openapi.json',
    '/docs',
  ]) {
    expect(await get(path)).toBe(200)
  }
  expect(await post('/v1/estimate', hello)).toBe(200)
  expect(await post('/v1/images/estimate', {})).toBe(200)
  expect(await post('/v1/chat/completions', hello)).toBe(404)
  expect(await post('/v1/models', hello)).toBe(405)
  expect(await get('/llms.txt')).toBe(404)
})

test('every request body in openapi.json has its fields', async () => {
  const { paths } = await (await fetch(`${estimator.url}/openapi.json`)).json()
  for (const path of ['/v1/estimate', '/v1/responses/input_tokens', '/v1/messages/count_tokens']) {
    const { schema } = paths[path].post.requestBody.content['application/json']
    expect([path, schema.additionalProperties]).toEqual([path, false])
  }
})

test.each([
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/images/generate',
  '/v1/images/generations',
])('the 404 of %s says that nothing is sold', async (path) => {
  const answer = await fetch(estimator.url + path, { method: 'POST' })
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    {
      error: {
        message: `${path} was not found. This service estimates and does not sell. GET /openapi.json lists all paths.`,
      },
    },
  ])
})

test('a path that only the gateway serves is not suggested', async () => {
  for (const path of ['/v1/completions', '/v1/responses/resp_1', '/v1/images/edits']) {
    const answer = await fetch(estimator.url + path, { method: 'POST' })
    expect(await answer.json()).toMatchObject({
      error: { message: `${path} was not found. GET /openapi.json lists all paths.` },
    })
  }
})

test('bodies that are declared and not sent take nothing from others', async () => {
  const close = await declareBodies(`${estimator.url}/v1/estimate`, 8)
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  expect((await fetch(`${estimator.url}/v1/estimate`, { method: 'POST', body })).status).toBe(200)
  close()
})

test('requests are sent to an OpenTelemetry collector as spans and durations', async () => {
  const collector = await openCollector()
  const read = readConfig({
    PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const traced = await startEstimator(read.values, createLogger('silent'))
  try {
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
    await (await fetch(`${traced.url}/v1/estimate`, { method: 'POST', body })).text()
    await (await fetch(`${traced.url}/nothing/here?secret=1`)).text()
  } finally {
    await traced.stop()
    collector.close()
  }
  const spans = collector.spans().map(({ name, attributes }) => [name, attributes['url.path']])
  expect(spans).toEqual([
    ['POST /v1/estimate', '/v1/estimate'],
    ['GET', '/nothing/here'],
  ])
  expect(String(collector.exports[0]?.body)).toContain('farebox-estimator')
  expect(String(collector.exports.map(({ body: sent }) => sent))).not.toContain('secret')
  const [durations] = collector.metrics()
  expect(durations?.name).toBe('http.server.request.duration')
  expect(durations?.points.map(({ count }) => count)).toEqual([1, 1])
})

test('the health names the network, and mainnet on Base alone', async () => {
  expect(await (await fetch(`${estimator.url}/health`)).json()).toMatchObject({
    network: 'eip155:84532',
    mainnet: false,
  })
  const read = readConfig({ PORT: '0', NETWORK: 'base' })
  if (read.status === 'invalid') throw new Error(read.problems.join(' '))
  const onBase = await startEstimator(read.values, createLogger('silent'))
  onTestFinished(() => onBase.stop())
  expect(await (await fetch(`${onBase.url}/health`)).json()).toMatchObject({
    network: 'eip155:8453',
    mainnet: true,
  })
})

test('reports all problems of the configuration at once', () => {
  const read = readConfig({ PORT: 'x', MARKUP_BPS: '-1', TRUST_PROXY: 'true' })
  if (read.status === 'valid') throw new Error('accepted')
  expect(read.problems.map((text) => text.split(' ')[0]).toSorted()).toEqual([
    'MARKUP_BPS',
    'PORT',
    'TRUST_PROXY',
  ])
})
