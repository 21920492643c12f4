import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeServer, createHttpServer, listen } from '../../src/index.ts'
import { received } from '../body/serve-bodies.ts'

const server = createHttpServer({ headersMs: 200, requestMs: 600 })
let url = ''
beforeAll(async () => {
  // Like a route that does not read the body and waits for something else.
  server.on('request', (request) => request.resume())
  url = await listen(server, { host: '127.0.0.1', port: 0 })
})
afterAll(() => closeServer(server))

async function open(text: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

describe('a request that does not arrive in time gets 408, and its connection is closed', () => {
  test.each([
    ['headers without end', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['a body that no route reads', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
  ])('%s', async (_, text) => {
    const [head = '', body = ''] = (await received(await open(text))).split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(body).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'request_timeout',
      // An earlier request with the same payment may have moved some.
      message: expect.stringContaining('This request moved no money.'),
    })
  })
})

test.each([
  ['sends nothing', ''],
  ['sends half a header', 'GET / HT'],
])('a client that %s and never closes its side is disconnected', async (_, text) => {
  const strict = createHttpServer({ headersMs: 200 })
  const { port } = new URL(await listen(strict, { host: '127.0.0.1', port: 0 }))
  const open = () =>
    new Promise<number>((resolve) => strict.getConnections((_error, count) => resolve(count)))
  connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    .on('error', () => undefined)
    .write(text)
  await expect.poll(open).toBe(1)
  await expect.poll(open, { timeout: 5_000 }).toBe(0)
  await closeServer(strict)
})

describe('behind a response that is in progress on the same connection, no response is mixed into it', () => {
  const pipelined = createHttpServer()
  let port = 0
  beforeAll(async () => {
    pipelined.on('request', ({ url: path }, response) => {
      if (path === '/begun') response.write('begun')
      setTimeout(() => response.end(' end'), 300)
    })
    port = Number(new URL(await listen(pipelined, { host: '127.0.0.1', port: 0 })).port)
  })
  afterAll(() => closeServer(pipelined))

  const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`

  async function answersTo(text: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(text)
    return (await received(socket)).replaceAll(/^(Date|Keep-Alive|Connection): .*\r\n/gm, '')
  }

  test.each([
    ['one that has not begun', get('/late')],
    ['one that has begun', get('/begun')],
    ['one that has begun, and another request', get('/begun') + get('/late')],
  ])('a malformed request after %s closes the connection', async (_, before) => {
    expect(await answersTo(`${before}GET\r\n\r\n`)).not.toContain('invalid_http')
  })

  test('a malformed body behind one that has not begun closes the connection', async () => {
    const broken = `POST /late HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n`
    expect(await answersTo(get('/late') + broken)).not.toContain('invalid_http')
    expect(await answersTo(broken)).toContain('invalid_http')
  })

  test('a request that expects what is not supported is answered after it, and the connection closed', async () => {
    const [first = '', second] = (await answersTo(get('/begun') + get('/', 'Expect: x\r\n'))).split(
      ' end',
    )
    expect(first).toContain('begun')
    expect(first).not.toContain('invalid_http')
    expect(second).toMatch(/HTTP\/1\.1 400 .*invalid_http/s)
  })
})

test('a connection may be idle for 65 seconds, longer than the 60 of nginx', async () => {
  const patient = createHttpServer()
  patient.on('request', (_, response) => response.end())
  const { headers } = await fetch(await listen(patient, { host: '127.0.0.1', port: 0 }))
  expect(headers.get('keep-alive')).toBe('timeout=65')
  await closeServer(patient)
})

describe('a connection whose response is not read', () => {
  const unread = createHttpServer({ unreadMs: 1_000 })
  let port = 0
  beforeAll(async () => {
    unread.on('request', ({ url: path }, response) => {
      const large = Buffer.alloc(16_000_000)
      if (path === '/late') setTimeout(() => response.end('late'), 1_500)
      else if (path === '/late-and-large') setTimeout(() => response.end(large), 1_500)
      else response.end(large)
    })
    port = Number(new URL(await listen(unread, { host: '127.0.0.1', port: 0 })).port)
  })
  afterAll(() => closeServer(unread))

  /** Sends a request and reads nothing. */
  async function ask(path: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return socket
  }

  function open(): Promise<number> {
    return new Promise((resolve) => unread.getConnections((_, count) => resolve(count)))
  }

  test.each(['/large', '/late-and-large'])('is closed: %s', async (path) => {
    await ask(path)
    await expect.poll(open).toBe(1)
    await expect.poll(open).toBe(0)
  })

  test('stays open while a client reads slowly', async () => {
    const socket = await ask('/large')
    let bytes = 0
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > 16_000_000) break
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(bytes).toBeGreaterThan(16_000_000)
  })

  test('stays open while the route works', async () => {
    const response = await fetch(`http://127.0.0.1:${port}/late`)
    expect(await response.text()).toBe('late')
  })
})
