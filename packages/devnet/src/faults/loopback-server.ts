import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'

export type LoopbackServer = {
  readonly url: string
  /** Closes the server and every open connection. */
  stop(): Promise<void>
}

/** An HTTP server on 127.0.0.1. */
export async function startLoopbackServer(
  listener: RequestListener,
  port = 0,
): Promise<LoopbackServer> {
  // Node closes an idle connection after five seconds, so a process that is busy for as long reuses one
  // that is being closed.
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () =>
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(request, 'end')
  return Buffer.concat(chunks).toString('utf8')
}
