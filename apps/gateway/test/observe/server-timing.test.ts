import { expect, test } from 'vitest'
import { serverTimingOn } from '../../src/observe/server-timing.ts'

test('phases follow each other, and one that ended before the request began takes no time', () => {
  let now = 1000
  const timing = serverTimingOn('devnet', () => now)()
  now = 1002.5
  timing.end('quote')
  timing.end('admit', 900)
  now = 1010
  timing.end('settle')
  expect(timing.headers()).toEqual({
    'Server-Timing': 'quote;dur=2.5, admit;dur=0.0, settle;dur=7.5',
  })
})

test.each(['base', 'base-sepolia'] as const)('there is no header on %s', (network) => {
  const timing = serverTimingOn(network)()
  timing.end('quote')
  expect(timing.headers()).toEqual({})
})
