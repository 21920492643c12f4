import express from 'express'
import request from 'supertest'
import { expect, test } from 'vitest'
import {
  errorReasonOf,
  loginLimiter,
  openRateLimitStore,
  type PathMethods,
  rateLimiter,
} from '../../src/index.ts'
import { createRollingWindowMemory } from '../../src/rate-limit/rolling-window-memory.ts'

function app({ limit, trustProxy = ['loopback'] }: { limit: number; trustProxy?: string[] }) {
  const server = express()
  server.set('trust proxy', trustProxy)
  const store = createRollingWindowMemory({ limit, windowMs: 60_000, now: () => 0 })
  server.use(rateLimiter({ perMinute: limit, store }))
  return server.get('/v1/health', (_, response) => {
    response.json({ status: 'ok' })
  })
}

function get(server: express.Express, forwarded?: string) {
  const sent = request(server).get('/v1/health')
  return forwarded === undefined ? sent : sent.set('X-Forwarded-For', forwarded)
}

test('rejects as specified, with Retry-After', async () => {
  const server = app({ limit: 2 })
  const statuses = [await get(server), await get(server), await get(server)]
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
  expect(statuses[2]?.body).toEqual({ error: 'Too many requests', code: 'RATE_LIMITED' })
  expect(Number(statuses[2]?.headers['retry-after'])).toBeGreaterThan(0)
})

test('rejects in the shape that a path has', async () => {
  const store = createRollingWindowMemory({ limit: 1, windowMs: 60_000, now: () => 0 })
  const own: PathMethods = [/^\/v1\/own$/, ['GET'], ({ status, code }) => ({ own: [status, code] })]
  const server = express().use(rateLimiter({ perMinute: 1, store, paths: [own] }))
  await request(server).get('/v1/own')
  for (const path of ['/v1/own', '/v1/own/below']) {
    expect((await request(server).get(path)).body).toEqual({ own: [429, 'RATE_LIMITED'] })
  }
  expect((await request(server).get('/v1/owner')).body.code).toBe('RATE_LIMITED')
})

test.each([Number.NaN, undefined])('a limit of %s per minute is refused', (perMinute) => {
  const limit = perMinute as never
  expect(() => app({ limit })).toThrow(/^perMinute must be at least 0, and is /)
})

test.each([Number.NaN, undefined, null, '100'])(
  'a store of %s per minute is refused',
  async (perMinute) => {
    const opened = openRateLimitStore({ perMinute: perMinute as never, logger: console })
    await expect(opened).rejects.toThrow(RangeError)
    await expect(opened).rejects.toThrow(/^perMinute must be at least 0, and is /)
  },
)

test('a limit of NaN failed logins per minute is refused', () => {
  const options = { failuresPerMinute: Number.NaN, isLoggedIn: () => false }
  expect(() => loginLimiter(options)).toThrow(/^failuresPerMinute must be at least 0, and is NaN/)
})

test('a limit without a store is refused', () => {
  const options = { perMinute: 100 } as never
  expect(() => rateLimiter(options)).toThrow(
    new TypeError('store must be that of openRateLimitStore'),
  )
})

test('a browser that opens a page gets a page that loads again, and its scripts get the JSON', async () => {
  const server = app({ limit: 1 })
  await get(server)
  const page = await get(server).set('Accept', 'text/html,application/xml;q=0.9,*/*;q=0.8')
  expect(page.status).toBe(429)
  expect(page.headers['content-type']).toMatch('text/html')
  expect(page.headers['refresh']).toBe(page.headers['retry-after'])
  expect(page.text).toMatch(/Too many requests .* loads again in \d+ seconds\./)
  const accepts = ['*/*', 'application/json', 'text/css,*/*;q=0.1', 'application/json, text/html']
  for (const accept of accepts) {
    expect((await get(server).set('Accept', accept)).body.code).toBe('RATE_LIMITED')
  }
  expect((await request(server).post('/v1/health').set('Accept', 'text/html')).body.code).toBe(
    'RATE_LIMITED',
  )
})

test('every response states the limit, what is left of it, and whose it is', async () => {
  const server = app({ limit: 2 })
  for (const [status, left] of [
    [200, 1],
    [200, 0],
    [429, 0],
  ]) {
    const answer = await get(server, '203.0.113.7')
    expect(answer.status).toBe(status)
    expect(answer.headers['ratelimit']).toBe(`"2-in-1min"; r=${left}; t=60`)
    expect(answer.headers['ratelimit-policy']).toBe('"2-in-1min"; q=2; w=60; pk=:ZmVjNTI1NjVhYTBj:')
  }
})

test('a store that fails reaches the error handler', async () => {
  const increment = () => Promise.reject(new Error('no store'))
  const store = { increment, decrement: () => undefined, resetKey: () => undefined }
  const server = express().use(rateLimiter({ perMinute: 1, store }))
  server.use(((_error, _request, response, _next) => {
    response.status(503).end()
  }) satisfies express.ErrorRequestHandler)
  expect((await get(server)).status).toBe(503)
})

test('notes the reason for the log', async () => {
  const reasons: unknown[] = []
  const server = express().use(
    (_, response, next) => {
      response.once('finish', () => reasons.push(errorReasonOf(response)))
      next()
    },
    app({ limit: 1 }),
  )
  await get(server)
  await get(server)
  expect(reasons).toEqual([undefined, 'RATE_LIMITED'])
})

test('counts by the address that a trusted proxy forwards, in any spelling', async () => {
  const server = app({ limit: 1 })
  const spellings = [
    '203.0.113.7',
    '203.0.113.7:4711',
    ' 203.0.113.7 ',
    '::ffff:203.0.113.7',
    '[::ffff:203.0.113.7]:80',
  ]
  const statuses = []
  for (const spelling of spellings) statuses.push((await get(server, spelling)).status)
  expect(statuses).toEqual([200, 429, 429, 429, 429])
  expect((await get(server, '203.0.113.8')).status).toBe(200)
})

test('garbage counts as the address of the connection', async () => {
  const server = app({ limit: 1 })
  const statuses = []
  for (const garbage of ['unknown', '', 'x y', '999.1.1.1', 'a'.repeat(500)]) {
    statuses.push((await get(server, garbage)).status)
  }
  expect(statuses).toEqual([200, 429, 429, 429, 429])
})

test('IPv6 counts by /56', async () => {
  const server = app({ limit: 1 })
  expect((await get(server, '2001:db8:1:2::1')).status).toBe(200)
  expect((await get(server, '2001:db8:1:ff::9')).status).toBe(429)
  expect((await get(server, '2001:db8:1:100::1')).status).toBe(200)
})

test('a client without a trusted proxy cannot choose its address', async () => {
  const server = app({ limit: 1, trustProxy: ['192.0.2.0/24'] })
  expect((await get(server, '203.0.113.1')).status).toBe(200)
  expect((await get(server, '203.0.113.2')).status).toBe(429)
})

test('preflights do not count', async () => {
  const server = app({ limit: 1 })
  for (let time = 0; time < 3; time += 1) await request(server).options('/v1/estimate')
  expect((await get(server)).status).toBe(200)
})
