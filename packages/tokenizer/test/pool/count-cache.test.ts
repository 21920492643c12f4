import { expect, test } from 'vitest'
import { cacheKey, createCountCache } from '../../src/pool/count-cache.ts'

const count = (tokens: number) => ({ tokens, method: 'exact', upperBound: tokens }) as const

test('the least recently used count goes first, and memory has a bound', () => {
  const cache = createCountCache(3 * 256)
  for (const key of ['a', 'b', 'c']) cache.set(key, count(1))
  expect(cache.get('a')).toEqual(count(1))
  cache.set('d', count(4))
  expect(cache.get('b')).toBeUndefined()
  expect(cache.get('a')).toEqual(count(1))
  for (let key = 0; key < 1000; key += 1) cache.set(String(key), count(key))
  expect(cache.size()).toBe(3)
})

test('a key tells counters and texts apart, and is no text', () => {
  const text = 'a secret '.repeat(1000)
  const keys = [
    cacheKey('claude', text),
    cacheKey('claude-4.7', text),
    cacheKey('claude', `${text}!`),
  ]
  expect(new Set(keys).size).toBe(3)
  expect(keys.join()).not.toContain('secret')
})

test('no memory, no cache', () => {
  const cache = createCountCache(0)
  cache.set('a', count(1))
  expect(cache.isOff).toBe(true)
  expect(cache.get('a')).toBeUndefined()
})
