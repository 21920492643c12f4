import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type BodyServer,
  type BodyServerOptions,
  type OpenBody,
  openBody,
  send,
  serveBodies,
} from './serve-bodies.ts'

const megabyte = 1024 * 1024
/** Leaves less of a megabyte than any body takes. */
const almost = `"${'a'.repeat(megabyte - 100)}`
const running: BodyServer[] = []
const open: OpenBody[] = []

afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy()
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

async function serve(options?: BodyServerOptions): Promise<BodyServer> {
  const server = await serveBodies(options)
  running.push(server)
  return server
}

async function hold(
  { url }: BodyServer,
  length: number,
  body: { readonly bytes?: string; readonly client?: string } = {},
): Promise<OpenBody> {
  const opened = await openBody(url, length, body.client)
  open.push(opened)
  if (body.bytes !== undefined) opened.socket.write(body.bytes)
  return opened
}

/** The first that the server sends. */
async function answer({ socket }: OpenBody): Promise<string> {
  const [bytes] = await once(socket, 'data')
  return String(bytes)
}

describe('memory', () => {
  test('connections that declare 64 MB and send nothing hold nothing', async () => {
    const server = await serve()
    for (let index = 0; index < 100; index += 1) await hold(server, 64 * megabyte)
    await expect.poll(() => server.begun()).toBe(100)
    expect((await send(server.url, '[1]')).status).toBe(200)
  })

  test('of one client is limited to its share, and other clients are served', async () => {
    const server = await serve({ bytes: 8 * megabyte, limits: { maxBytes: megabyte } })
    const first = await hold(server, megabyte, { bytes: almost, client: '203.0.113.1' })
    const status = async () => (await send(server.url, '[1]', '203.0.113.1')).status
    await expect.poll(status).toBe(503)
    const refused = await send(server.url, '[1]', '203.0.113.1:8080')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await refused.json()).error).toMatchObject({
      code: 'overloaded',
      message: expect.stringMatching(/^Your address.*This request moved no money\./),
    })
    expect((await send(server.url, '[1]', '203.0.113.2')).status).toBe(200)
    first.socket.destroy()
    await expect.poll(status).toBe(200)
    expect(server.faults).toEqual([])
  })

  test('of all clients together is limited by the budget', async () => {
    const server = await serve({ bytes: megabyte, limits: { maxBytes: megabyte } })
    const bytes = `"${'a'.repeat(megabyte / 2 - 1)}`
    const first = await hold(server, megabyte, { bytes, client: '203.0.113.1' })
    const second = await hold(server, megabyte, { bytes, client: '203.0.113.2' })
    const refused = Promise.race([answer(first), answer(second)])
    for (const { socket } of [first, second]) socket.write('more')
    expect(await refused).toMatch(/^HTTP\/1\.1 503 .*at capacity\. This request moved no money/s)
  })

  test('of bodies in use is limited, and free again once the response has been sent', async () => {
    const limits = { maxBytes: megabyte, inUseBytes: 1.5 * megabyte }
    const { url } = await serve({ limits })
    const status = async () => (await send(url, `${almost}"`)).status
    expect([await status(), await status()]).toEqual([200, 200])
    const full = await serve({ limits: { ...limits, inUseBytes: megabyte / 2 } })
    expect((await send(full.url, `${almost}"`)).status).toBe(503)
    expect((await send(full.url, '[1]')).status).toBe(200)
  })

  test('of the largest body that is arriving is given to smaller ones', async () => {
    const server = await serve({ bytes: 1.5 * megabyte, limits: { maxBytes: megabyte } })
    // Memory is reserved in blocks that double: these take half a megabyte and one.
    const bytes = `"${'a'.repeat(megabyte / 4)}`
    const smaller = await hold(server, bytes.length + 1, { bytes, client: '203.0.113.2' })
    const largest = await hold(server, megabyte, { bytes: almost, client: '203.0.113.1' })
    const refused = answer(largest)
    await expect.poll(() => server.begun()).toBe(2)
    const statuses = new Set<number>()
    const ask = async (): Promise<number> => {
      statuses.add((await send(server.url, '[1]', '203.0.113.3')).status)
      return largest.socket.bytesRead
    }
    await expect.poll(ask).toBeGreaterThan(0)
    expect([...statuses]).toEqual([200])
    expect(await refused).toMatch(/^HTTP\/1\.1 503 /)
    smaller.socket.write('"')
    expect(await answer(smaller)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('time', () => {
  const limits = { windowMs: 300, minBytesPerWindow: 3_000, totalMs: 1_500 }

  async function expectTimeout({ response }: OpenBody): Promise<void> {
    const [head = '', body = ''] = (await response).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 /)
    expect(head).toMatch(/connection: close/i)
    expect(JSON.parse(body).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'request_timeout',
    })
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A tenth of a second passes, once the server has read what was sent. */
  async function pass(server: BodyServer, body: OpenBody): Promise<void> {
    const isRead = () => body.socket.destroyed || server.hasRead(body)
    await expect.poll(isRead, { interval: 5 }).toBe(true)
    vi.advanceTimersByTime(100)
  }

  /** Sends that much every tenth of a second, until the server answers; resolves to the time it took. */
  async function drip(server: BodyServer, body: OpenBody, bytes: number): Promise<number> {
    let milliseconds = 0
    while (!body.socket.destroyed && body.socket.bytesRead === 0) {
      body.socket.write('1'.repeat(bytes))
      await pass(server, body)
      milliseconds += 100
    }
    return milliseconds
  }

  test('a body that does not begin gets 408, and its connection is closed', async () => {
    const server = await serve({ limits })
    const silent = await hold(server, 1_000)
    await expect.poll(() => server.begun()).toBe(1)
    vi.advanceTimersByTime(300)
    await expectTimeout(silent)
  })

  test('a body that drips gets 408, and other clients are served', async () => {
    const server = await serve({ limits })
    const dripping = await hold(server, megabyte, { bytes: '1' })
    await pass(server, dripping)
    expect((await send(server.url, '[1]')).status).toBe(200)
    expect(await drip(server, dripping, 10)).toBeLessThan(1_000)
    await expectTimeout(dripping)
  })

  test('a body that keeps the rate gets 408 when all its time is used up', async () => {
    const server = await serve({ limits })
    const slow = await hold(server, megabyte)
    expect(await drip(server, slow, 1_500)).toBeGreaterThanOrEqual(1_500)
    await expectTimeout(slow)
  })

  test('a slow body that keeps the rate is read', async () => {
    const server = await serve({ limits: { ...limits, totalMs: 60_000 } })
    const slow = await hold(server, 60_002, { bytes: '"' })
    for (let sent = 0; sent < 60_000; sent += 1_500) {
      slow.socket.write('1'.repeat(1_500))
      await pass(server, slow)
    }
    slow.socket.end('"')
    expect(await slow.response).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('large bodies', () => {
  test.each([
    ['escapes', { text: 'é漢\n"\\'.repeat(400_000) }],
    ['lone surrogates', ['\ud800'.repeat(400_000), '\udc00']],
    ['numbers, literals and nesting', [[-0, 1e300, null, true, {}, []], 'a'.repeat(2_000_000)]],
  ])('are read as they are: %s', async (_, value) => {
    const server = await serve()
    const text = JSON.stringify(value).replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    const response = await send(server.url, text)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(value)))
  })

  test('that are not JSON in UTF-8 get 400', async () => {
    const server = await serve()
    const bodies = [`"${'a'.repeat(2_000_000)}`, `"${'a'.repeat(2_000_000)}\\u00e"`]
    for (const body of bodies) expect((await send(server.url, body)).status).toBe(400)
    const bytes = Buffer.alloc(2_000_000, 0xff)
    bytes[0] = 0x22
    bytes[bytes.length - 1] = 0x22
    const response = await fetch(server.url, { method: 'POST', body: bytes })
    expect(response.status).toBe(400)
  })
})
