import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type LocalServerOptions, startLocalServer } from '../src/local/start-local-server.ts'

/** A server that answers 200 with nothing unless `options` serve something else. */
function startAnswering(options: Partial<LocalServerOptions> = {}) {
  return startLocalServer({
    port: 0,
    key: undefined,
    allowedOrigins: [],
    serve: async (_, response) => {
      response.end()
    },
    refuse: (response, { status }) => response.writeHead(status).end(),
    ...options,
  })
}

test('stop waits for work that continues after its response has ended', async () => {
  const work = Promise.withResolvers<undefined>()
  const { url, stop } = await startAnswering({
    async serve(_, response) {
      response.end()
      await work.promise
    },
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

test('a response names the five minutes for which its connection stays open', async () => {
  const { url, stop } = await startAnswering()
  const { headers } = await fetch(url)
  expect(headers.get('keep-alive')).toBe('timeout=300')
  await stop()
})

test('a key that is not given is not taken for none', async () => {
  const misspelled = { port: 0, Key: 'secret', allowedOrigins: [] }
  const serve = { serve: async () => {}, refuse: () => {} }
  await expect(startLocalServer({ ...misspelled, ...serve } as never)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringContaining('key is missing'),
  })
})

test.each<readonly [string, object]>([
  ['key must be a text, or undefined for none.', { key: '' }],
  ['key must be a text, or undefined for none.', { key: null }],
  ['allowedOrigins must be an array', { allowedOrigins: 'http://localhost:3000' }],
  ['allowedOrigins must be an array', { allowedOrigins: undefined }],
])(
  'an option that would let others spend, or end the process, is refused: %s (%#)',
  async (problem, wrong) => {
    await expect(startAnswering(wrong)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(problem),
    })
  },
)

test('a key with a space is accepted in the headers of OpenAI and of Anthropic', async () => {
  const { url, stop } = await startAnswering({ key: 'open sesame' })
  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await fetch(url, { headers })).status
  expect(await statusWith({ authorization: 'Bearer open sesame' })).toBe(200)
  expect(await statusWith({ 'x-api-key': 'open sesame' })).toBe(200)
  expect(await statusWith({ authorization: 'Bearer open' })).toBe(401)
  await stop()
})

test('no other address of this machine reaches the server', async () => {
  const { url, stop } = await startAnswering()
  const port = Number(new URL(url).port)
  const known = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const others = known.map(({ address }) => address).filter((address) => address !== '127.0.0.1')
  for (const host of ['127.0.0.2', '::1', ...others]) {
    const socket = connect({ host, port, timeout: 1_000 })
    socket.once('timeout', () => socket.destroy(new Error('not reached')))
    await expect(once(socket, 'connect'), host).rejects.toThrow()
  }
  await stop()
})
