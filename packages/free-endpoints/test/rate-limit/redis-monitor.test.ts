import { createRedisWatch, type RedisNotice } from '@farebox/free-endpoints'
import { expect, test } from 'vitest'

function watched() {
  const told: RedisNotice[] = []
  const time = { now: 0 }
  const watch = createRedisWatch({ now: () => time.now, notify: (notice) => told.push(notice) })
  return { watch, told, time }
}

test('an outage is told once, and its end once, with what it cost', () => {
  const { watch, told, time } = watched()
  watch.answered()
  expect(told).toEqual([])
  const error = new Error('refused')
  for (let request = 0; request < 1_000; request += 1) {
    watch.failed(error)
    watch.didWithout()
  }
  expect(told).toEqual([{ type: 'redis_down', error }])
  time.now += 5_000
  watch.answered()
  watch.answered()
  expect(told.slice(1)).toEqual([{ type: 'redis_up', requests: 1_000 }])
  watch.failed(error)
  expect(told.slice(2)).toEqual([{ type: 'redis_down', error }])
})

test('a store that answers now and then is told of once', () => {
  const { watch, told, time } = watched()
  for (let request = 0; request < 100; request += 1) {
    time.now += 1_000
    if (request % 5 === 0) watch.failed(new Error('busy'))
    else watch.answered()
  }
  expect(told.map(({ type }) => type)).toEqual(['redis_down'])
})
