import { expect, test } from 'vitest'
import { pause } from '../../src/pay/pause.ts'

test('a signal that is aborted already ends the wait', async () => {
  await expect(pause(600_000, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
})

test('a wait ends when its signal is aborted', async () => {
  const stopping = new AbortController()
  const waiting = pause(600_000, stopping.signal)
  stopping.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})
