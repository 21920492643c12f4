import type { ChatCall } from '../provider/chat-provider.ts'
import { UpstreamError, type UpstreamErrorCode } from '../provider/upstream-error.ts'
import type { Clock } from '../transport/clock.ts'
import type { Timeouts } from '../transport/timeouts.ts'
import type { ChatWire } from '../wire/chat-wire.ts'

/** A request as it goes to a provider, for a signature. */
export type UnsignedRequest = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly body: string
}

export type RequestHeaders = Readonly<Record<string, string>>

type Signing = {
  readonly wire: ChatWire
  readonly baseUrl: string
  readonly headers: (request: UnsignedRequest) => Promise<RequestHeaders>
  readonly timeouts: Pick<Timeouts, 'firstToken'>
  readonly clock: Clock
}

/**
 * A call with its signed request. Signing may ask a server for a token, so that it counts toward the
 * time for the first token, and ends with the call.
 *
 * @throws {UpstreamError} if the request could not be signed in time; nothing is sent then.
 */
export async function signedCall(
  call: ChatCall,
  { wire, baseUrl, headers, timeouts, clock }: Signing,
): Promise<{ readonly call: ChatCall; readonly wire: ChatWire }> {
  const request = wire.request(call)
  const url = baseUrl.replace(/\/+$/, '') + request.path
  const last = clock() + (call.firstToken ?? timeouts.firstToken)
  const until = Math.min(last, call.until ?? last)
  const notCalled = unsigned(wire.name)
  const end = endOf(call, until - clock(), notCalled)
  try {
    const own = await Promise.race([end.failure, read()])
    const signed = { ...request, headers: { ...request.headers, ...own } }
    return { call: { ...call, until }, wire: { ...wire, request: () => signed } }
  } finally {
    end.release()
  }

  async function read(): Promise<RequestHeaders> {
    try {
      return await headers({ method: 'POST', url, body: request.body })
    } catch (cause) {
      throw notCalled('upstream_unavailable', 'its token could not be read', cause)
    }
  }
}

type NotCalled = (code: UpstreamErrorCode, why: string, cause?: unknown) => UpstreamError

function unsigned(provider: string): NotCalled {
  return (code, why, cause) =>
    new UpstreamError(`${provider} was not called: ${why}`, {
      code,
      provider,
      executed: 'no',
      ...(cause !== undefined && { cause }),
    })
}

/** `failure` rejects once the call ends, for its client, the gateway or its time. */
function endOf({ signal, stop }: ChatCall, milliseconds: number, notCalled: NotCalled) {
  const { promise: failure, reject } = Promise.withResolvers<never>()
  const onStop = (): void => reject(notCalled('aborted', 'the gateway is shutting down'))
  const onAbort = (): void => reject(notCalled('aborted', 'the client had disconnected'))
  const timer = setTimeout(() => {
    reject(notCalled('upstream_unavailable', 'its token did not arrive in time'))
  }, milliseconds)
  stop?.addEventListener('abort', onStop, { once: true })
  signal.addEventListener('abort', onAbort, { once: true })
  if (stop?.aborted === true) onStop()
  if (signal.aborted) onAbort()
  return {
    failure,
    release(): void {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
      signal.removeEventListener('abort', onAbort)
    },
  }
}
