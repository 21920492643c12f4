import type { ClientRateLimitInfo, Store } from 'express-rate-limit'
import type { RollingWindowOptions } from './rolling-window-memory.ts'

/** The two calls of a `redis` client that the store makes. */
export type RedisScripts = {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  del(key: string): Promise<unknown>
}

export type RollingWindowRedisOptions = RollingWindowOptions & {
  readonly redis: RedisScripts
  readonly prefix?: string
}

/**
 * One sorted set per key, and the clock of the Redis server, so that replicas agree.
 * ARGV: window in microseconds, limit, 1 to record or 0 to look. Returns hits, the age in
 * microseconds of the oldest hit.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = tonumber(ARGV[1])
local limit = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local hits = redis.call('ZCARD', KEYS[1])
if ARGV[3] == '1' then
  if hits < limit then
    redis.call('ZADD', KEYS[1], now, string.format('%.0f:%d', now, hits))
    redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
    hits = hits + 1
  else
    hits = limit + 1
  end
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return { hits, oldest and now - tonumber(oldest) or 0 }
`

/** Counts requests of a rolling window in Redis, shared by all replicas. */
export function createRollingWindowRedis(options: RollingWindowRedisOptions): Store {
  const { redis, limit, windowMs, prefix = 'farebox:rate:' } = options

  async function run(key: string, mode: 'record' | 'look'): Promise<ClientRateLimitInfo> {
    const reply = await redis.eval(script, {
      keys: [prefix + key],
      arguments: [String(windowMs * 1000), String(limit), mode === 'record' ? '1' : '0'],
    })
    const [hits, age] = Array.isArray(reply) ? reply.map(Number) : []
    if (hits === undefined || age === undefined)
      throw new TypeError('The rate-limit script returned no counts.')
    // Above every limit: that of the middleware may be higher than this one.
    const totalHits = hits > limit ? Infinity : hits
    return { totalHits, resetTime: new Date(Date.now() + windowMs - age / 1000) }
  }

  return {
    localKeys: false,
    prefix,
    increment: (key) => run(key, 'record'),
    get: (key) => run(key, 'look'),
    decrement: () => {
      // Every request counts: none is ever subtracted.
    },
    resetKey: async (key) => {
      await redis.del(prefix + key)
    },
  }
}
