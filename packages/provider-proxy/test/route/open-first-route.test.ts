import { expect, test } from 'vitest'
import { type ChatProvider, openFirstRoute, UpstreamError } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { connectedProviders } from '../support/connected.ts'
import { chunk, openEvents, type Responder } from '../support/provider-server.ts'

const { connect, setUp } = connectedProviders()

const answers: Responder = (response) => {
  openEvents(response)
  response.end(`${chunk({ content: 'hi' }, { finish: 'stop' })}data: [DONE]\n\n`)
}

function fails(status: number): Responder {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    response.end('{"error":{"message":"no"}}')
  }
}

test.each([401, 402, 403, 404, 429, 503, 529])(
  'HTTP %d executed nothing: the next provider is called, and the first only once',
  async (status) => {
    const first = await setUp(fails(status))
    const second = await setUp(answers)
    const begun: ChatProvider[] = []
    const call = chatCall('hello')
    const routes: [Way, Way] = [
      { provider: first.provider, call },
      { provider: second.provider, call },
    ]
    const stream = await openFirstRoute(routes, ({ provider }) => begun.push(provider))
    expect(stream.provider).toBe('custom')
    expect(begun).toEqual([first.provider, second.provider])
    expect([first.server.received.length, second.server.received.length]).toEqual([1, 1])
  },
)

type Way = { readonly provider: ChatProvider; readonly call: ReturnType<typeof chatCall> }

test.each([400, 408, 422, 500, 502, 504])(
  'HTTP %d may have been executed: the next provider is not called',
  async (status) => {
    const first = await setUp(fails(status))
    const second = await setUp(answers)
    const call = chatCall('hello')
    const routes: [Way, Way] = [
      { provider: first.provider, call },
      { provider: second.provider, call },
    ]
    await expect(openFirstRoute(routes, () => undefined)).rejects.toMatchObject({ status })
    expect(second.server.received).toHaveLength(0)
  },
)

test('a host that does not resolve and a closed port are passed over', async () => {
  const second = await setUp(answers)
  const call = chatCall('hello')
  const routes: [Way, ...Way[]] = [
    { provider: connect('http://host.invalid/v1'), call },
    { provider: connect('http://127.0.0.1:1/v1'), call },
    { provider: second.provider, call },
  ]
  expect(await openFirstRoute(routes, () => undefined)).toMatchObject({ model: 'maker/model' })
})

test('the last route alone is retried', async () => {
  const first = await setUp(fails(503))
  const last = await setUp(fails(503))
  const call = chatCall('hello')
  const routes: [Way, Way] = [
    { provider: first.provider, call },
    { provider: last.provider, call },
  ]
  const error = await openFirstRoute(routes, () => undefined).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(UpstreamError)
  expect([first.server.received.length, last.server.received.length]).toEqual([1, 3])
})

test('no provider is called after the client disconnected', async () => {
  const leaving = new AbortController()
  const first = await setUp((response) => {
    leaving.abort()
    void fails(503)(response, response.req, 1)
  })
  const second = await setUp(answers)
  const call = chatCall('hello', { signal: leaving.signal })
  const routes: [Way, Way] = [
    { provider: first.provider, call },
    { provider: second.provider, call },
  ]
  await expect(openFirstRoute(routes, () => undefined)).rejects.toMatchObject({ code: 'aborted' })
  expect(second.server.received).toHaveLength(0)
})

test('the routes share the time of the one that may take longest', async () => {
  let now = 1_000_000
  const given: (number | undefined)[] = []
  const busyAfter = (milliseconds: number): Pick<ChatProvider, 'open'> => ({
    open: ({ until }) => {
      given.push(until)
      now += milliseconds
      const options = { code: 'upstream_unavailable', provider: 'busy', executed: 'no' } as const
      return Promise.reject(new UpstreamError(`busy after ${milliseconds}`, options))
    },
  })
  const call = { ...chatCall('hello'), firstToken: 120_000 }
  const routes = [90_000, 40_000, 1].map((ms) => ({ provider: busyAfter(ms), call }))
  const [first, ...others] = routes
  if (first === undefined) throw new Error('no route')
  const opened = openFirstRoute(
    [first, ...others],
    () => undefined,
    () => now,
  )
  await expect(opened).rejects.toThrow('busy after 40000')
  expect(given).toEqual([undefined, 1_120_000])
})

test('a call ends when its client stops waiting, although the provider has more time', async () => {
  const { provider } = await setUp(() => undefined)
  const call = { ...chatCall('hello'), until: Date.now() + 100 }
  await expect(provider.open(call)).rejects.toMatchObject({ code: 'upstream_timeout' })
})
