import { expect, test } from 'vitest'
import { pause } from '../../src/pay/pause.ts'

test('a signal that is aborted already ends the wait', async () => {
  await expect(pause(600_000, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
})
