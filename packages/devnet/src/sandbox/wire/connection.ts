import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** The client closed the connection, or an instruction did. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
  readonly code = 'connection_closed'
}

/** One request and its response. */
export type Connection = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Aborted when the client disconnects. */
  readonly closed: AbortSignal
}

/** Tracks a response until it closes. */
export function openConnection(request: IncomingMessage, response: ServerResponse): Connection {
  const closing = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) closing.abort()
  })
  return { request, response, closed: closing.signal }
}

/** Writes with back-pressure. @throws {ConnectionClosed} if the client has disconnected. */
export async function write(connection: Connection, bytes: string | Buffer): Promise<void> {
  const { response, closed } = connection
  if (closed.aborted || response.destroyed) throw new ConnectionClosed('The client disconnected')
  if (response.write(bytes)) return
  await new Promise<void>((resolve) => {
    response.once('drain', resolve)
    closed.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Waits. @throws {ConnectionClosed} if the client disconnects meanwhile. */
export async function wait(connection: Connection, milliseconds: number): Promise<void> {
  if (milliseconds <= 0) return
  try {
    await sleep(milliseconds, undefined, { signal: connection.closed })
  } catch (cause) {
    throw new ConnectionClosed('The client disconnected', { cause })
  }
}

/** Waits until the client disconnects. */
export async function stall(connection: Connection): Promise<never> {
  const { closed } = connection
  if (!closed.aborted) {
    await new Promise((resolve) => closed.addEventListener('abort', resolve, { once: true }))
  }
  throw new ConnectionClosed('The client disconnected')
}

/** Breaks the connection. */
export function destroy(connection: Connection): never {
  connection.response.destroy()
  connection.request.socket.destroy()
  throw new ConnectionClosed('Closed as instructed')
}

/** A response that is not a stream. */
export type JsonResponse = {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a JSON response. */
export function sendJson({ response }: Connection, { status, body, headers }: JsonResponse): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

/** Maximum size of a request body, in bytes. */
const maxBody = 64 * 1024 * 1024

/** Reads a JSON body; `undefined` if it is not valid JSON or too large. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue
    size += part.length
    if (size > maxBody) return undefined
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    return undefined
  }
}
