import type { Dispatcher } from 'undici'
import { UpstreamError, type UpstreamErrorCode } from '../provider/upstream-error.ts'
import { createWatch } from '../transport/deadline.ts'
import {
  createTransport,
  type OutgoingRequest,
  type Transport,
} from '../transport/upstream-transport.ts'
import { classifyFailure, httpFailure } from '../wire/classify-failure.ts'
import { parseJson } from '../wire/json-reading.ts'

/** What every provider of images can be given. */
export type ImageConnectionOptions = {
  readonly apiKey: string
  /** Version path included. */
  readonly baseUrl?: string
  readonly dispatcher?: Dispatcher
  /** For a whole call, in milliseconds. */
  readonly timeout?: number
  readonly connectTimeout?: number
}

/** Posts JSON and reads the JSON of a provider's answer. */
export type JsonCaller = {
  /** @throws {UpstreamError} for whatever is not a 2xx with JSON in it. */
  call(request: JsonCall): Promise<unknown>
  close(): Promise<void>
}

export type JsonCall = {
  readonly path: string
  readonly body: unknown
  readonly signal: AbortSignal
}

/** Base64 of four large images, and room. */
const maxAnswer = 96 * 1024 * 1024
const defaults = { timeout: 180_000, connectTimeout: 5_000 }

/** A caller for one provider. A request that was written is never written again. */
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
  const headers = { authorization: `Bearer ${options.apiKey}` }
  const timeout = options.timeout ?? defaults.timeout
  return {
    async call({ path, body, signal }) {
      const request = { path, headers, body: JSON.stringify(body) }
      const answer = await exchange({ name, transport, timeout, signal }, request)
      const json = parseJson(answer.body)
      if (answer.status < 200 || answer.status > 299) {
        throw httpFailure(name, answer.status, classifyFailure(answer.status, json))
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

type Answer = { readonly status: number; readonly body: string }

function exchange(
  { name, transport, timeout, signal }: Parts,
  request: OutgoingRequest,
): Promise<Answer> {
  const watch = createWatch()
  const finished = new AbortController()
  return new Promise<Answer>((resolve, reject) => {
    const collected = createBody()
    function fail(code: UpstreamErrorCode, says: string, cause?: Error): void {
      sent.cancel()
      const options = { code, provider: name, ...(cause !== undefined && { cause }) }
      reject(new UpstreamError(`${name} ${says}`, options))
    }
    const sent = transport.post(request, {
      head: (status) => collected.begin(status),
      data(bytes) {
        if (collected.add(bytes) > maxAnswer) {
          fail('upstream_truncated', 'sent more than any images can be')
        }
      },
      end: () => resolve(collected.answer()),
      failed: (cause) => fail('upstream_unavailable', 'broke the connection', cause),
    })
    const gone = (): void => fail('aborted', 'was stopped: the client is gone')
    signal.addEventListener('abort', gone, { signal: finished.signal })
    watch.start(timeout, () => fail('upstream_timeout', 'took too long'))
    if (signal.aborted) gone()
  }).finally(() => {
    watch.stop()
    finished.abort()
  })
}

function createBody(): {
  begin(status: number): void
  add(bytes: Buffer): number
  answer(): Answer
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
    answer: () => ({ status, body: Buffer.concat(parts).toString('utf8') }),
  }
}
