import type { Store } from 'express-rate-limit'
import fc from 'fast-check'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../../scripts/testing/redis.ts'
import { createRedisMonitor, type RedisNotice } from '../../src/rate-limit/redis-monitor.ts'
import {
  createRollingWindowMemory,
  type RollingWindowOptions,
} from '../../src/rate-limit/rolling-window-memory.ts'
import { createRollingWindowRedis } from '../../src/rate-limit/rolling-window-redis.ts'
import { withFallback } from '../../src/rate-limit/with-fallback.ts'

/** A store, and a way to let time pass for it. */
type Clocked = { readonly store: Store; readonly pass: (ms: number) => Promise<void> }

function memory(options: RollingWindowOptions): Clocked {
  let now = 1_000_000
  return {
    store: createRollingWindowMemory({ ...options, now: () => now }),
    pass: (ms) => {
      now += ms
      return Promise.resolve()
    },
  }
}

async function passes(store: Store, key: string, limit: number): Promise<boolean> {
  return (await store.increment(key)).totalHits <= limit
}

function conformance(open: (options: RollingWindowOptions) => Clocked): void {
  test('never lets more than the limit through any window', async () => {
    const limit = 10
    const { store, pass } = open({ limit, windowMs: 60_000 })
    expect(await passes(store, 'edge', limit)).toBe(true)
    await pass(40_000)
    for (let hit = 0; hit < 9; hit += 1) expect(await passes(store, 'edge', limit)).toBe(true)
    await pass(30_000)
    // The first hit has left the window, the nine at its edge have not.
    const late = []
    for (let hit = 0; hit < 10; hit += 1) late.push(await passes(store, 'edge', limit))
    expect(late).toEqual([true, ...Array.from({ length: 9 }, () => false)])
  })

  test('rejects beyond its own limit, whatever the limit of its middleware', async () => {
    const { store } = open({ limit: 2, windowMs: 60_000 })
    const passed: boolean[] = []
    for (let hit = 0; hit < 3; hit += 1) passed.push(await passes(store, 'lower', 100))
    expect(passed).toEqual([true, true, false])
  })

  test('does not record rejected requests, and counts keys separately', async () => {
    const { store, pass } = open({ limit: 2, windowMs: 40_000 })
    for (let hit = 0; hit < 2; hit += 1) await store.increment('busy')
    await pass(30_000)
    for (let hit = 0; hit < 4; hit += 1) expect(await passes(store, 'busy', 2)).toBe(false)
    expect(await passes(store, 'other', 2)).toBe(true)
    // The two that passed have left the window, the rejected ones have not.
    await pass(15_000)
    expect(await passes(store, 'busy', 2)).toBe(true)
  })

  test('returns when the next request passes', async () => {
    const { store } = open({ limit: 1, windowMs: 60_000 })
    const before = Date.now()
    await store.increment('reset')
    const { resetTime } = await store.increment('reset')
    const passesAt = resetTime?.getTime()
    // Redis counts in microseconds, `Date.now` in whole milliseconds.
    expect(passesAt).toBeGreaterThanOrEqual(before + 59_999)
    expect(passesAt).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  test('resetKey resets a key', async () => {
    const { store } = open({ limit: 1, windowMs: 60_000 })
    await store.increment('again')
    await store.resetKey('again')
    expect(await passes(store, 'again', 1)).toBe(true)
  })
}

describe('in memory', () => {
  conformance(memory)

  test('agrees with a naive count at any timing', async () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 70 }), fc.constantFrom('a', 'b')), {
      maxLength: 80,
    })
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), async (hits, limit) => {
        const { store, pass } = memory({ limit, windowMs: 100 })
        const admitted: { key: string; at: number }[] = []
        let now = 0
        for (const [wait, key] of hits) {
          now += wait
          await pass(wait)
          const inWindow = admitted.filter((hit) => hit.key === key && hit.at > now - 100).length
          expect(await passes(store, key, limit)).toBe(inWindow < limit)
          if (inWindow < limit) admitted.push({ key, at: now })
        }
      }),
    )
  })

  test('keeps at most maxKeys keys', async () => {
    const store = createRollingWindowMemory({ limit: 1, windowMs: 1000, now: () => 0, maxKeys: 3 })
    for (const key of ['a', 'b', 'c', 'd']) await store.increment(key)
    expect(await passes(store, 'd', 1)).toBe(false)
    expect(await passes(store, 'a', 1)).toBe(true)
  })
})

/** Redis has its own clock: time passes for it when its hits grow older. */
const ageHits = `
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local hits = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for at = 1, #hits, 2 do
    redis.call('ZADD', key, hits[at + 1] - ARGV[2] * 1000, hits[at])
  end
end`

describe.skipIf(!hasRedis())('in Redis', () => {
  let server: TestRedis
  let redis: ReturnType<typeof createClient>
  let run = 0
  beforeAll(async () => {
    server = await startRedis()
    redis = createClient({ url: server.url })
    await redis.connect()
  })
  afterAll(async () => {
    await redis.close()
    await server.stop()
  })

  conformance((options) => {
    run += 1
    const prefix = `test:${run}:`
    return {
      store: createRollingWindowRedis({ ...options, redis, prefix }),
      pass: async (ms) => {
        await redis.eval(ageHits, { keys: [], arguments: [prefix, String(ms)] })
      },
    }
  })

  test('two replicas share one budget', async () => {
    const options = { limit: 5, windowMs: 60_000, redis, prefix: 'test:shared:' }
    const replicas = [createRollingWindowRedis(options), createRollingWindowRedis(options)] as const
    const hits = await Promise.all(
      Array.from({ length: 10 }).flatMap(() => replicas.map((store) => passes(store, 'shared', 5))),
    )
    expect(hits.filter(Boolean)).toHaveLength(5)
  })

  test('without Redis, each replica still limits on its own', async () => {
    const gone = createClient({ url: 'redis://127.0.0.1:1', disableOfflineQueue: true })
    const notices: RedisNotice[] = []
    const time = { now: 0 }
    const monitor = createRedisMonitor({
      now: () => time.now,
      notify: (notice) => notices.push(notice),
    })
    const store = withFallback(
      createRollingWindowRedis({ limit: 2, windowMs: 60_000, redis: gone }),
      createRollingWindowMemory({ limit: 2, windowMs: 60_000, now: () => 0 }),
      monitor,
    )
    const hits = []
    for (let hit = 0; hit < 4; hit += 1) hits.push(await passes(store, 'key', 2))
    expect(hits).toEqual([true, true, false, false])
    expect(notices).toMatchObject([{ type: 'redis_down' }])
    monitor.recordSuccess()
    time.now = 5_000
    monitor.recordSuccess()
    monitor.recordSuccess()
    expect(notices.slice(1)).toEqual([{ type: 'redis_up', requests: 4 }])
  })
})
