import { expect, test } from 'vitest'
import { cacheKey, createCountCache } from '../../src/pool/count-cache.ts'

const count = (tokens: number) => ({ tokens, method: 'exact', upperBound: tokens }) as const

test('evicts the least recently used count first, and limits its memory', () => {
  const cache = createCountCache(3 * 256)
  for (const key of ['a', 'b', 'c']) cache.set(key, count(1))
  expect(cache.get('a')).toEqual(count(1))
  cache.set('d', count(4))
  expect(cache.get('b')).toBeUndefined()
  expect(cache.get('a')).toEqual(count(1))
  for (let key = 0; key < 1000; key += 1) cache.set(String(key), count(key))
  expect(cache.size()).toBe(3)
})

test('a key depends on counter and text, and does not contain the text', () => {
  const text = 'a secret '.repeat(1000)
  const keys = [
    cacheKey('claude', text),
    cacheKey('claude-4.7', text),
    cacheKey('claude', `${text}!`),
  ]
  expect(new Set(keys).size).toBe(3)
  expect(keys.join()).not.toContain('secret')
})

test('a size of 0 turns the cache off', () => {
  const cache = createCountCache(0)
  cache.set('a', count(1))
  expect(cache.isOff).toBe(true)
  expect(cache.get('a')).toBeUndefined()
})
