import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorAnswer } from './error-answer.ts'

/**
 * A server that answers what it cannot read as HTTP, headers beyond Node's limit included, with 400
 * in the shape of every other error, where Node answers 400, 408, 417 or 431 without a body.
 */
export function createHttpServer(): Server {
  const server = createServer()
  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => {
    answers.set(socket, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const begun = answers.get(socket)
    const isMidAnswer = begun?.headersSent === true && !begun.writableFinished
    if (error.code === 'ECONNRESET' || !socket.writable || isMidAnswer) {
      socket.destroy()
      return
    }
    socket.end(unreadable(messages[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.'))
  })
  server.on('checkExpectation', ({ socket }) => {
    socket.end(unreadable('The Expect header may say 100-continue only.'))
  })
  return server
}

const messages: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

function unreadable(message: string): string {
  const body = JSON.stringify(errorAnswer(400, { code: 'invalid_http', message }).body)
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

/** Listens, and resolves with the address as others on this machine reach it. */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('the server has no port')
  return `http://${reachableName(host)}:${bound.port}`
}

function reachableName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Takes no more connections, ends those that are open, and resolves when all are gone. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve()
    })
  })
  server.closeAllConnections()
  await closed
}
