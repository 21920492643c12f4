import { once } from 'node:events'
import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '@farebox/api'
import { errorResponse } from '../response/error-response.ts'

/** How long a client may take, in milliseconds. */
export type HttpTimeouts = {
  /** For the headers, including the time before them on a new connection. */
  readonly headersMs: number
  /** For a whole request, even if no route reads its body. */
  readonly requestMs: number
  /** Until its next request, on a connection that stays open. */
  readonly keepAliveMs: number
  /** For the next bytes of a response that waits to be read. */
  readonly unreadMs: number
}

/**
 * `requestMs` is more than a body may take, so that a slow body gets the route's response.
 * `keepAliveMs` is more than the 60 seconds after which nginx and the load balancers of AWS close an idle
 * connection: with Node's 5 seconds, a proxy may send a payment just as the connection closes, and answer 502.
 * `unreadMs` is more than the 30 seconds after which a stream is ended because its client reads too slowly.
 */
const defaultTimeouts: HttpTimeouts = {
  headersMs: 10_000,
  requestMs: 330_000,
  keepAliveMs: 65_000,
  unreadMs: 60_000,
}

/**
 * A server that responds to malformed HTTP, including headers beyond Node's limit, with 400, and to
 * a request that does not arrive in time with 408, both with a body in the shape of every other
 * error. Node alone sends 400, 408, 417 or 431 without a body. A connection whose response is not read is closed:
 * Node alone keeps it, and the response in memory, for as long as the client likes.
 */
export function createHttpServer(timeouts: Partial<HttpTimeouts> = {}): Server {
  const { headersMs, requestMs, keepAliveMs, unreadMs } = { ...defaultTimeouts, ...timeouts }
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.ceil(headersMs / 5),
  })
  /** The last response of each connection that is in progress: those before it end earlier. */
  const inProgress = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => {
    inProgress.set(socket, response)
    response.once('close', () => {
      if (inProgress.get(socket) === response) inProgress.delete(socket)
    })
  })
  server.setTimeout(unreadMs, (socket) => {
    // A route that takes longer has nothing to be read yet.
    if (!inProgress.has(socket) || socket.writableLength > 0) socket.destroy()
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What is written here would be read as the response to a request before this one, or as a part of it.
    const last = inProgress.get(socket)
    const isBehind = last?.socket === null
    const isMidResponse = last !== undefined && (isBehind || last.headersSent || last.req.complete)
    if (error.code === 'ECONNRESET' || !socket.writable || isMidResponse) {
      socket.destroy()
      return
    }
    socket.end((refusals.get(error.code) ?? malformed).raw)
    // A client that does not close its side either keeps the connection no longer than headers may take.
    if (socket instanceof Socket) socket.setTimeout(headersMs)
  })
  server.on('checkExpectation', (_request, response) => {
    const { status, headers, body } = unmetExpectation
    response.writeHead(status, headers).end(body)
  })
  return server
}

type Refusal = {
  readonly status: 400 | 408
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** All of it, for a connection without a response. */
  readonly raw: string
}

const unmetExpectation = refusal(
  400,
  'invalid_http',
  'The Expect header must be 100-continue. Change or remove it.',
)

const malformed = refusal(
  400,
  'invalid_http',
  'The request is not valid HTTP/1.1. Check the client, or the proxy before this service.',
)

/** What is written to a connection, by the code of its error. */
const refusals: ReadonlyMap<string | undefined, Refusal> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    refusal(
      408,
      'request_timeout',
      'The request did not arrive in time. This request moved no money. Repeat it.',
    ),
  ],
  [
    'HPE_HEADER_OVERFLOW',
    refusal(400, 'invalid_http', 'The headers are larger than 16 KB. Send fewer or shorter ones.'),
  ],
])

function refusal(status: Refusal['status'], code: ErrorCode, message: string): Refusal {
  const body = JSON.stringify(errorResponse(status, { code, message }).body)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')
  return { status, headers, body, raw: `${head}\r\n\r\n${body}` }
}

/** Listens, and resolves with the URL under which this machine reaches the server. */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  server.listen({ host, port })
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string')
    throw new TypeError('The server listens on a pipe, not on a port.')
  return `http://${reachableName(host)}:${bound.port}`
}

function reachableName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Stops listening, closes open connections, and resolves when all are closed. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve()
    })
  })
  server.closeAllConnections()
  await closed
}
