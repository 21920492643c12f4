import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRateLimitStore, type RateLimitRedis } from '../../src/index.ts'
import { answeredWithin } from '../../src/rate-limit/answered-within.ts'

/** Answers while it does not hang. */
function hangingStore() {
  const state = { hangs: true, asked: 0 }
  const store = {
    increment: async () => {
      state.asked += 1
      if (state.hangs) await new Promise(() => undefined)
      return { totalHits: 1, resetTime: undefined }
    },
    decrement: () => undefined,
    resetKey: () => undefined,
  }
  return { state, store }
}

test('a store that hangs fails, is asked by one request after each pause, and counts again', async () => {
  const { state, store } = hangingStore()
  let time = 0
  const limited = answeredWithin(store, { now: () => time, answerMs: 20, pauseMs: 1_000 })
  const hit = async (): Promise<string> =>
    await Promise.resolve(limited.increment('key')).then(
      () => 'counted',
      () => 'failed',
    )
  expect(await Promise.all([hit(), hit()])).toEqual(['failed', 'failed'])
  expect(await hit()).toBe('failed')
  expect(state.asked).toBe(2)
  time = 1_000
  expect(await Promise.all([hit(), hit(), hit()])).toEqual(['failed', 'failed', 'failed'])
  expect(state.asked).toBe(3)
  time = 2_000
  state.hangs = false
  expect(await hit()).toBe('counted')
  expect(await hit()).toBe('counted')
})

test('requests are counted here while Redis hangs, and closing does not wait for it', async () => {
  const lines: object[] = []
  const hanging: RateLimitRedis & { destroyed: boolean } = {
    destroyed: false,
    isReady: true,
    on: () => undefined,
    connect: async () => undefined,
    eval: async () => await new Promise(() => undefined),
    del: async () => await new Promise(() => undefined),
    close: async () => await new Promise(() => undefined),
    destroy() {
      this.destroyed = true
    },
  }
  const logger = { info: () => undefined, warn: (line: object) => void lines.push(line) }
  const opened = await openRateLimitStore({ perMinute: 2, redis: hanging, logger })
  const hits = [1, 2, 3].map(async () => (await opened.store.increment('key')).totalHits)
  expect(await Promise.race([Promise.all(hits), sleep(10_000)])).toEqual([1, 2, Infinity])
  expect(opened.redisState()).toBe('unavailable')
  expect(lines).toMatchObject([{ event: 'redis_down' }])
  await opened.close()
  expect(hanging.destroyed).toBe(true)
})
