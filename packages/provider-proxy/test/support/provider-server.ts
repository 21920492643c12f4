import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What reached a provider's server. */
export type Received = {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Readonly<Record<string, unknown>>
}

export type ProviderServer = {
  readonly url: string
  readonly received: readonly Received[]
  /** Those that are open. */
  readonly sockets: ReadonlySet<Socket>
  /** How many there have been. */
  connections(): number
  stop(): Promise<void>
}

export type Responder = (
  response: ServerResponse,
  request: IncomingMessage,
  attempt: number,
) => void | Promise<void>

/** A provider's server whose response the test writes, byte by byte. */
export async function startProviderServer(respond: Responder): Promise<ProviderServer> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const { headers, url = '' } = request
      received.push({ path: url, headers, body: JSON.parse(text) })
      void respond(response, request, received.length)
    })
  })
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    sockets,
    connections: () => connections,
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

/** Starts an event stream. */
export function openEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
}

/** An event whose data is JSON, with a name where the wire has one. */
export function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
}

/** A chunk of an OpenAI stream with one choice. */
export function chunk(
  delta: object,
  more: { readonly finish?: string; readonly index?: number; readonly [key: string]: unknown } = {},
): string {
  const { finish = null, index = 0, ...rest } = more
  return event({
    id: 'up',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'upstream',
    choices: [{ index, delta, finish_reason: finish }],
    ...rest,
  })
}
