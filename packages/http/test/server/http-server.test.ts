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
    })
  })
})

test('a connection may be idle for 65 seconds, longer than the 60 of nginx', async () => {
  const patient = createHttpServer()
  patient.on('request', (_, response) => response.end())
  const { headers } = await fetch(await listen(patient, { host: '127.0.0.1', port: 0 }))
  expect(headers.get('keep-alive')).toBe('timeout=65')
  await closeServer(patient)
})
