import { expect, test } from 'vitest'
import { createRedisMonitor, type RedisNotice } from '../../src/rate-limit/redis-monitor.ts'

function monitored() {
  const notices: RedisNotice[] = []
  const time = { now: 0 }
  const monitor = createRedisMonitor({
    now: () => time.now,
    notify: (notice) => notices.push(notice),
  })
  return { monitor, notices, time }
}

test('an outage and its end are each reported once, with the requests counted without Redis', () => {
  const { monitor, notices, time } = monitored()
  monitor.recordSuccess()
  expect(notices).toEqual([])
  const error = new Error('refused')
  for (let request = 0; request < 1_000; request += 1) {
    monitor.recordFailure(error)
    monitor.recordFallback()
  }
  expect(notices).toEqual([{ type: 'redis_down', error }])
  time.now += 5_000
  monitor.recordSuccess()
  monitor.recordSuccess()
  expect(notices.slice(1)).toEqual([{ type: 'redis_up', requests: 1_000 }])
  monitor.recordFailure(error)
  expect(notices.slice(2)).toEqual([{ type: 'redis_down', error }])
})

test('each reason of an outage is reported once, whatever its numbers', () => {
  const { monitor, notices, time } = monitored()
  const [refused, refusedAgain, noAuth] = ['refused: 1', 'refused: 2', 'NOAUTH'].map(
    (text) => new Error(text),
  )
  for (const error of [refused, refusedAgain, noAuth, refused]) monitor.recordFailure(error)
  time.now += 5_000
  monitor.recordSuccess()
  monitor.recordFailure(refusedAgain)
  expect(notices).toEqual([
    { type: 'redis_down', error: refused },
    { type: 'redis_down', error: noAuth },
    { type: 'redis_up', requests: 0 },
    { type: 'redis_down', error: refusedAgain },
  ])
})

test('a store that flaps is reported once', () => {
  const { monitor, notices, time } = monitored()
  for (let request = 0; request < 100; request += 1) {
    time.now += 1_000
    if (request % 5 === 0) monitor.recordFailure(new Error('busy'))
    else monitor.recordSuccess()
  }
  expect(notices.map(({ type }) => type)).toEqual(['redis_down'])
})
