import type { Dispatcher } from 'undici'
import type { ImageProvider } from '../provider/image-provider.ts'
import { UpstreamError, type UpstreamErrorCode } from '../provider/upstream-error.ts'
import { checkedKey } from '../transport/checked-key.ts'
import { connectionCode } from '../transport/connection-code.ts'
import { createDeadline } from '../transport/deadline.ts'
import { jsonBody } from '../transport/json-body.ts'
import {
  createTransport,
  type OutgoingRequest,
  type Transport,
} from '../transport/upstream-transport.ts'
import { classifyFailure, httpFailure } from '../wire/classify-failure.ts'
import { parseJson } from '../wire/json-reading.ts'

/** The options of every provider of images. */
export type ImageConnectionOptions = {
  readonly apiKey: string
  /** Version path included. */
  readonly baseUrl?: string
  readonly dispatcher?: Dispatcher
  /** For the complete call, in milliseconds. */
  readonly timeout?: number
  readonly connectTimeout?: number
}

/** A provider of images that owns connections. */
export type ConnectedImageProvider = ImageProvider & { close(): Promise<void> }

/** Posts JSON and reads the JSON of a provider's response. */
export type JsonCaller = {
  /** @throws {UpstreamError} unless the status is 2xx. */
  call(request: JsonCall): Promise<unknown>
  close(): Promise<void>
}

export type JsonCall = {
  readonly path: string
  readonly body: object
  readonly signal: AbortSignal
}

/** Base64 of four large images, with room to spare. */
const maxResponse = 96 * 1024 * 1024
const defaults = { timeout: 180_000, connectTimeout: 5_000 }

/** A caller for one provider. A request that was sent is never sent again. */
export function createJsonCaller(
  name: string,
  baseUrl: string,
  options: ImageConnectionOptions,
): JsonCaller {
  const transport = createTransport({
    baseUrl,
    connectTimeout: options.connectTimeout ?? defaults.connectTimeout,
    ...(options.dispatcher !== undefined && { dispatcher: options.dispatcher }),
  })
  const headers = { authorization: `Bearer ${checkedKey(options.apiKey)}` }
  const timeout = options.timeout ?? defaults.timeout
  return {
    async call({ path, body, signal }) {
      const request = { path, headers, body: jsonBody(body) }
      const response = await exchange({ name, transport, timeout, signal }, request)
      const json = parseJson(response.body)
      if (response.status < 200 || response.status > 299) {
        throw httpFailure(name, response.status, classifyFailure(response.status, json))
      }
      return json
    },
    close: () => transport.close(),
  }
}

type Parts = {
  readonly name: string
  readonly transport: Transport
  readonly timeout: number
  readonly signal: AbortSignal
}

type JsonResponse = { readonly status: number; readonly body: string }

function exchange(
  { name, transport, timeout, signal }: Parts,
  request: OutgoingRequest,
): Promise<JsonResponse> {
  const deadline = createDeadline()
  const finished = new AbortController()
  return new Promise<JsonResponse>((resolve, reject) => {
    const collected = createBody()
    function fail(code: UpstreamErrorCode, text: string, cause?: Error): void {
      sent.cancel()
      const options = { code, provider: name, ...(cause !== undefined && { cause }) }
      reject(new UpstreamError(`${name} ${text}`, options))
    }
    const sent = transport.post(request, {
      head: (status) => collected.begin(status),
      data(bytes) {
        if (collected.add(bytes) > maxResponse) {
          fail('upstream_truncated', 'sent more bytes than any images can have')
        }
      },
      end: () => resolve(collected.response()),
      failed(cause, progress) {
        const what = progress === 'unsent' ? 'could not be reached' : 'closed the connection'
        fail('upstream_unavailable', `${what}${connectionCode(cause)}`, cause)
      },
    })
    const stop = (): void => fail('aborted', 'was stopped: the call was aborted')
    signal.addEventListener('abort', stop, { signal: finished.signal })
    deadline.start(timeout, () => fail('upstream_overtime', 'exceeded the timeout for the call'))
    if (signal.aborted) stop()
  }).finally(() => {
    deadline.stop()
    finished.abort()
  })
}

function createBody(): {
  begin(status: number): void
  add(bytes: Buffer): number
  response(): JsonResponse
} {
  const parts: Buffer[] = []
  let size = 0
  let status = 0
  return {
    begin(given) {
      status = given
    },
    add(bytes) {
      parts.push(bytes)
      size += bytes.length
      return size
    },
    response() {
      return { status, body: Buffer.concat(parts).toString() }
    },
  }
}
