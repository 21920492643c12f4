import type { IncomingHttpHeaders } from 'node:http'
import { Agent, type Dispatcher } from 'undici'
import { type BodyDecoder, createBodyDecoder } from './body-decoder.ts'

/** Receives the response to a request, decoded; nothing is called after `cancel`. */
export type Receiver = {
  head(status: number, headers: IncomingHttpHeaders): void
  data(bytes: Buffer): void
  end(): void
  /** `unsent` means that provably no byte of the request was written. */
  failed(cause: Error, progress: 'unsent' | 'sent'): void
}

/** A request in progress. */
export type Exchange = {
  pause(): void
  resume(): void
  /** Closes the connection, at once. */
  cancel(): void
}

export type OutgoingRequest = {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Posts JSON to one origin. */
export type Transport = {
  post(request: OutgoingRequest, receiver: Receiver): Exchange
  /** Closes connections that this transport opened. */
  close(): Promise<void>
}

export type TransportOptions = {
  readonly baseUrl: string
  readonly connectTimeout: number
  /** The caller's own dispatcher, which the caller closes. */
  readonly dispatcher?: Dispatcher
}

/**
 * A keep-alive pool for one provider.
 *
 * It dispatches with its own handler for two reasons: the moment at which undici starts a request on
 * a connection proves that an earlier failure sent nothing, and no stream object stands between the
 * socket and the parser.
 *
 * @throws {TypeError} when `baseUrl` is not an http or https URL.
 */
export function createTransport(options: TransportOptions): Transport {
  const base = URL.parse(options.baseUrl)
  if (base?.protocol !== 'https:' && base?.protocol !== 'http:') {
    throw new TypeError(`baseUrl ${options.baseUrl} is not an http or https URL`)
  }
  const prefix = base.pathname.replace(/\/+$/, '')
  const isOwn = options.dispatcher === undefined
  const dispatcher = options.dispatcher ?? createAgent(options)
  return {
    post(request, receiver) {
      const { handler, exchange } = createHandler(receiver)
      dispatcher.dispatch(
        {
          origin: base.origin,
          path: prefix + request.path || '/',
          method: 'POST',
          headers: { ...fixedHeaders, ...request.headers },
          body: request.body,
          // The caller's own timers distinguish the first token from idle time; these do not.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        handler,
      )
      return exchange
    },
    async close() {
      if (isOwn) await dispatcher.destroy()
    },
  }
}

/** A compressed body costs time, and may come late; no header of the client is passed on. */
const fixedHeaders = {
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'farebox',
}

function createAgent(options: TransportOptions): Agent {
  return new Agent({
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.connectTimeout },
  })
}

function createHandler(receiver: Receiver): {
  handler: Dispatcher.DispatchHandler
  exchange: Exchange
} {
  let control: Dispatcher.DispatchController | undefined
  let decoder: BodyDecoder | undefined
  let canceled = false
  const exchange: Exchange = {
    // A decoder that is paused pauses the connection once it is full.
    pause: () => (decoder ?? control)?.pause(),
    resume: () => (decoder ?? control)?.resume(),
    cancel() {
      if (canceled) return
      canceled = true
      decoder?.destroy()
      control?.abort(new Error('canceled'))
    },
  }
  const end = (): void => {
    if (!canceled) receiver.end()
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      control = controller
      if (canceled) controller.abort(new Error('canceled'))
    },
    onResponseStart(controller, status, headers) {
      // An informational response precedes the final one.
      if (canceled || status < 200) return
      decoder = createBodyDecoder(headers['content-encoding']?.toString())
      decoder?.on('data', receiver.data)
      decoder?.on('drain', () => controller.resume())
      // What cannot be decoded ends the body.
      decoder?.on('error', () => {
        end()
        exchange.cancel()
      })
      receiver.head(status, headers)
    },
    onResponseData(controller, bytes) {
      if (canceled) return
      if (decoder === undefined) receiver.data(bytes)
      else if (!decoder.write(bytes)) controller.pause()
    },
    onResponseEnd() {
      if (decoder === undefined) end()
      else decoder.once('end', end).end()
    },
    onResponseError(_controller, cause) {
      const progress = control === undefined ? 'unsent' : 'sent'
      const fail = (): void => {
        if (!canceled) receiver.failed(cause, progress)
      }
      // Some failures come before `post` returns; the receiver gets them after it.
      if (decoder === undefined) queueMicrotask(fail)
      else decoder.once('end', fail).end()
    },
  }
  return { handler, exchange }
}
