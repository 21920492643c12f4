import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gatherText } from '../src/chat/gather-text.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('words that come together are shown together, and the last of them at the end', () => {
  const shown: string[] = []
  const { add, flush } = gatherText((text) => shown.push(text))
  for (const word of ['A ', 'fare ', 'box']) add(word)
  expect(shown).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(shown).toEqual(['A fare box'])
  add(' takes ')
  add('coins.')
  flush()
  vi.advanceTimersByTime(1_000)
  expect(shown).toEqual(['A fare box', ' takes coins.'])
})
