import { expect, test } from 'vitest'
import { repeatUntilDecided } from '../../src/pay/repeat-until-decided.ts'

test('a server that asks to be asked again at once is asked four times a second at most', async () => {
  const busy = new Response(null, { status: 503, headers: { 'retry-after': '0' } })
  let sent = 0
  const { attempts } = await repeatUntilDecided(
    async () => {
      sent += 1
      return busy
    },
    { patienceMs: 1_000, signal: new AbortController().signal },
  )
  expect(attempts).toBe(sent)
  expect(sent).toBeLessThanOrEqual(5)
})
