import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { hasRedis, startRedis } from '../../../../scripts/testing/redis.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runGateway, withFolder } from './run-gateway.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** A busy machine may take longer than the second for which a request waits for Redis: it has a minute. */
function waitForRedis(): void {
  const wait = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((work, milliseconds, ...rest) =>
    wait(work, milliseconds === 1_000 ? 60_000 : milliseconds, ...rest),
  )
}

test.skipIf(!hasRedis())(
  'replicas share a budget; when Redis stops, each counts on its own',
  async () => {
    waitForRedis()
    const redis = await startRedis()
    const environment = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '4' }
    const [one, two] = await Promise.all([openGateway(environment), openGateway(environment)])
    try {
      const status = async ({ url }: { readonly url: string }): Promise<number> =>
        (await fetch(`${url}/health`, { headers: { 'X-Forwarded-For': '203.0.113.7' } })).status
      const statuses: number[] = []
      for (const gateway of [one, two, one, two, one, two]) statuses.push(await status(gateway))
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
      await redis.stop()
      for (const gateway of [one, two]) {
        const alone: number[] = []
        for (let index = 0; index < 6; index += 1) alone.push(await status(gateway))
        expect(alone).toEqual([200, 200, 200, 200, 429, 429])
      }
    } finally {
      await Promise.all([one.stop(), two.stop()])
    }
  },
)

test('an unreachable Redis delays neither start nor stop, and is logged once', {
  timeout: 60_000,
}, async () => {
  await withFolder(async (folder) => {
    const metricsPort = await freePort()
    const running = runGateway([], {
      PORT: '0',
      DATA_DIR: folder,
      REDIS_URL: 'redis://127.0.0.1:1',
      METRICS_PORT: String(metricsPort),
    })
    const url = await running.url
    for (let request = 0; request < 10; request += 1) {
      expect((await fetch(`${url}/health`)).status).toBe(200)
    }
    const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(figures).toContain('\nfarebox_rate_limit_fallbacks_total 10\n')
    running.child.kill('SIGTERM')
    const { code, stdout } = await running.ended
    expect(code).toBe(0)
    expect(stdout.match(/"event":"redis_\w+"/g)).toEqual(['"event":"redis_down"'])
  })
})
