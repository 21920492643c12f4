import type { RequestListener } from 'node:http'
import { closeServer, cors, createHttpServer, listen, pathError, sendError } from '@farebox/http'
import express from 'express'
import { pathMethods } from '../path-methods.ts'
import type { Config } from '../settings.ts'
import { maxConnections } from './max-connections.ts'

/** A server that responds 503 `starting` until every part is open, so that clients do not wait. */
export type StartingServer = {
  readonly url: string
  /** Lets the app respond from now on. */
  serve(app: RequestListener): void
  /** Closes the server; a second call does nothing. */
  close(): Promise<void>
}

type Address = Pick<Config, 'HOST' | 'PORT'>

/** Listens on an address. */
export async function openStartingServer({ HOST, PORT }: Address): Promise<StartingServer> {
  const server = createHttpServer()
  const most = maxConnections()
  if (most !== undefined) server.maxConnections = most
  const url = await listen(server, { host: HOST, port: PORT })
  server.on('request', starting)
  let closing: Promise<void> | undefined
  return {
    url,
    serve: (app) => {
      server.off('request', starting)
      server.on('request', app)
    },
    close: () => (closing ??= closeServer(server)),
  }
}

const starting = express()
  .disable('etag')
  .disable('x-powered-by')
  .use(cors, ({ path }, response) => {
    // The payment may have been taken before the restart; repeated, it is not taken twice.
    const message = 'The service is starting. This request moved no money. Repeat it as it is.'
    const headers = { 'Retry-After': '2' }
    const failure = { path, status: 503, code: 'starting', message, headers } as const
    sendError(response, pathError(pathMethods, failure))
  })
