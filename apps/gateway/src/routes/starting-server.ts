import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { closeServer, createHttpServer, errorResponse, listen } from '@farebox/http'
import type { Config } from '../settings.ts'

/** A server that responds 503 `starting` until every part is open, so that clients do not wait. */
export type StartingServer = {
  readonly url: string
  /** Lets the app respond from now on. */
  serve(app: RequestListener): void
  /** Closes the server; a second call does nothing. */
  close(): Promise<void>
}

/** Listens on the configured address. */
export async function openStartingServer({ HOST, PORT }: Config): Promise<StartingServer> {
  const server = createHttpServer()
  const url = await listen(server, { host: HOST, port: PORT })
  server.on('request', respondStarting)
  let closing: Promise<void> | undefined
  return {
    url,
    serve: (app) => {
      server.off('request', respondStarting)
      server.on('request', app)
    },
    close: () => (closing ??= closeServer(server)),
  }
}

function respondStarting(_: IncomingMessage, response: ServerResponse): void {
  const { status, body } = errorResponse(503, {
    code: 'starting',
    message: 'The service is starting. No money moved. Repeat the request.',
  })
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '2' }
  response.writeHead(status, headers).end(JSON.stringify(body))
}
