import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { FareboxError } from '@farebox/client'
import { type LocalAccess, type LocalRefusal, localRefusal } from './local-refusal.ts'

/** Rejects a request. */
export type Refuse = (
  response: ServerResponse,
  refusal: LocalRefusal,
  request: IncomingMessage,
) => void

export type LocalServerOptions = LocalAccess & {
  /** 0 picks a free one. */
  readonly port: number
  readonly serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly refuse: Refuse
}

export type LocalServer = {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Closes all connections, and resolves when nothing is being served any more. */
  stop(): Promise<void>
}

/**
 * In milliseconds, between two requests of an app. After Node's 5 seconds, an app that thinks longer may send its
 * next call just as the connection closes, and shows "Connection error": clients do not repeat a POST for that.
 */
const keepAliveTimeout = 300_000

/**
 * Starts a server that only programs on this machine can reach. Throws `port_taken`, and
 * `invalid_option` for a `key` or `allowedOrigins` that cannot work.
 */
export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  checkAccess(options)
  const serving = new Set<Promise<void>>()
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    const refusal = localRefusal(request, options)
    if (isPreflight(request) && refusal?.status !== 403) return allowOrigin(request, response)
    if (request.headers.origin !== undefined && refusal?.status !== 403) {
      response.setHeader('access-control-allow-origin', request.headers.origin)
    }
    if (refusal !== undefined) return options.refuse(response, refusal, request)
    const served = options.serve(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy()
      else options.refuse(response, failure(error), request)
    })
    serving.add(served)
    void served.finally(() => serving.delete(served))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(cause, options.port)))
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await Promise.all(serving)
    },
  }
}

/** Without types a misspelled key would let every program spend, and an origin in a text allow parts of it. */
function checkAccess(options: LocalServerOptions): void {
  const { key, allowedOrigins } = options
  if (!('key' in options)) {
    throw new FareboxError(
      'invalid_option',
      'key is missing: give one, or undefined to let every program on this machine spend.',
    )
  }
  if (key !== undefined && (typeof key !== 'string' || key === '')) {
    throw new FareboxError('invalid_option', 'key must be a text, or undefined for none.')
  }
  if (!Array.isArray(allowedOrigins)) {
    throw new FareboxError(
      'invalid_option',
      "allowedOrigins must be an array, such as ['http://localhost:3000'] or [].",
    )
  }
}

/** Without a response, clients would send a paid call again. */
function failure(error: unknown): LocalRefusal {
  const reason = error instanceof Error ? error.message : String(error)
  return { status: 500, code: 'local_failure', message: `The local server failed: ${reason}` }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined
}

/** Browsers ask before they send a key. */
function allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
  response
    .writeHead(204, {
      'access-control-allow-origin': headers.origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    })
    .end()
}

function listenError(cause: Error, port: number): Error {
  if (!('code' in cause) || cause.code !== 'EADDRINUSE') return cause
  const message = `Port ${port} is taken. --port 0 picks a free one.`
  return new FareboxError('port_taken', message, { cause })
}
