import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import express from 'express'
import {
  type BodyLimits,
  bodyErrorResponse,
  closeServer,
  createBodyBudget,
  createHttpServer,
  errorHandler,
  type HttpTimeouts,
  listen,
  readJsonBody,
  sendError,
} from '../../src/index.ts'

export type BodyServer = {
  readonly url: string
  /** What reached the error handler. */
  readonly faults: readonly unknown[]
  /** How many bodies the server has begun to read. */
  begun(): number
  /** Whether the server has read all that was written to it here. */
  hasRead(body: OpenBody): boolean
  stop(): Promise<void>
}

export type BodyServerOptions = {
  readonly bytes?: number
  readonly limits?: Partial<BodyLimits>
  readonly timeouts?: Partial<HttpTimeouts>
}

/** A server that sends every body back; `X-Forwarded-For` sets the client's address. */
export async function serveBodies(options: BodyServerOptions = {}): Promise<BodyServer> {
  const budget = createBodyBudget(options.bytes ?? 256 * 1024 * 1024, options.limits)
  const faults: unknown[] = []
  let begun = 0
  const app = express().set('trust proxy', 'loopback')
  app.post('/', async (request, response) => {
    begun += 1
    const body = await readJsonBody(request, budget)
    if (body.status !== 'json') return sendError(response, bodyErrorResponse(body))
    response.json(body.value)
  })
  app.get('/', (_, response) => {
    response.end()
  })
  app.use(errorHandler((error) => faults.push(error)))
  const server = createHttpServer(options.timeouts).on('request', app)
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  const sockets = new Map<number | undefined, Socket>()
  server.on('connection', (socket) => sockets.set(socket.remotePort, socket))
  return {
    url,
    faults,
    begun: () => begun,
    hasRead: ({ socket }) => sockets.get(socket.localPort)?.bytesRead === socket.bytesWritten,
    stop: () => closeServer(server),
  }
}

export type OpenBody = {
  readonly socket: Socket
  /** Everything that the server sent; resolves when it closes the connection. */
  readonly response: Promise<string>
}

/** A request whose headers declare `length` bytes and whose body is up to the caller. */
export async function openBody(url: string, length: number, client?: string): Promise<OpenBody> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const from = client === undefined ? '' : `X-Forwarded-For: ${client}\r\n`
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${from}Content-Length: ${length}\r\n\r\n`)
  return { socket, response: received(socket) }
}

/** Everything that a server sends until it closes the connection. */
export function received(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      resolve(text)
    })
  })
}

export function send(url: string, body: string, client?: string): Promise<Response> {
  const headers: Record<string, string> = client === undefined ? {} : { 'X-Forwarded-For': client }
  return fetch(url, { method: 'POST', body, headers })
}
