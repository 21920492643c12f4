import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startLocalServer } from '../src/local/start-local-server.ts'

test('stop waits for work that continues after its response has ended', async () => {
  const work = Promise.withResolvers<undefined>()
  const { url, stop } = await startLocalServer({
    port: 0,
    key: undefined,
    allowedOrigins: [],
    async serve(_, response) {
      response.end()
      await work.promise
    },
    refuse: (response) => response.end(),
  })
  await fetch(url)
  const order: string[] = []
  const stopped = stop().then(() => order.push('stopped'))
  await expect(fetch(url)).rejects.toThrow()
  await setImmediate()
  order.push('served')
  work.resolve(undefined)
  await stopped
  expect(order).toEqual(['served', 'stopped'])
})
