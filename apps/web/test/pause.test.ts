import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { pause } from '../src/pay/pause.ts'

test('a signal that is aborted already ends the wait', async () => {
  await expect(pause(600_000, AbortSignal.abort())).resolves.toBeUndefined()
}, 5_000)

test('a wait that is over no longer listens to its signal', async () => {
  const { signal } = new AbortController()
  await pause(0, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
