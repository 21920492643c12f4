import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorResponse } from '../response/error-response.ts'

/**
 * A server that responds to malformed HTTP, including headers beyond Node's limit, with 400 and a
 * body in the shape of every other error. Node alone sends 400, 408, 417 or 431 without a body.
 */
export function createHttpServer(): Server {
  const server = createServer()
  const responses = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => {
    responses.set(socket, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const current = responses.get(socket)
    const isMidResponse = current?.headersSent === true && !current.writableFinished
    if (error.code === 'ECONNRESET' || !socket.writable || isMidResponse) {
      socket.destroy()
      return
    }
    socket.end(malformed(messages[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.'))
  })
  server.on('checkExpectation', ({ socket }) => {
    socket.end(malformed('The Expect header must be 100-continue. Change or remove it.'))
  })
  return server
}

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function malformed(message: string): string {
  const body = JSON.stringify(errorResponse(400, { code: 'invalid_http', message }).body)
  const headers = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Access-Control-Allow-Origin: *',
    'Cache-Control: no-store',
    'Connection: close',
  ]
  return `${headers.join('\r\n')}\r\n\r\n${body}`
}

/** Listens, and resolves with the URL under which this machine reaches the server. */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
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
