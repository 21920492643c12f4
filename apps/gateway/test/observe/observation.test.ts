import { expect, test } from 'vitest'
import { createObservation } from '../../src/observe/observation.ts'

test('phases follow each other', () => {
  let now = 1000
  const observation = createObservation({ requestId: 'a', network: 'devnet', now: () => now })
  now = 1002.5
  observation.endPhase('quote')
  observation.endPhase('admit')
  now = 1010
  observation.endPhase('settle')
  expect(observation.headers()).toEqual({
    'Server-Timing': 'quote;dur=2.5, admit;dur=0.0, settle;dur=7.5',
  })
})

test.each(['base', 'base-sepolia'] as const)('there is no header on %s', (network) => {
  const observation = createObservation({ requestId: 'a', network, now: () => 0 })
  observation.endPhase('quote')
  expect(observation.headers()).toEqual({})
})
