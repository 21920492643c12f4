import { FareboxError } from '../farebox-error.ts'
import { retryAfterSeconds } from '../http/retry-after-seconds.ts'
import { pause } from './pause.ts'

export type RepeatOptions = {
  /** How long to keep retrying, in milliseconds. */
  readonly patienceMs: number
  readonly signal: AbortSignal
}

export type Decision = {
  readonly response: Response
  /** How many times the request was sent. An earlier attempt may have been accepted. */
  readonly attempts: number
}

const firstPauseMs = 250
const maxPauseMs = 5_000

/**
 * Sends the same signed request until the server has decided: it retries after `Retry-After` on 503
 * or 429, when the connection breaks, and when a proxy answers 502 or 504 in place of the server.
 * Every attempt carries the same authorization, so however often it arrives, it pays for one
 * completion.
 *
 * Throws `connection_lost` if no response arrives in time; the payment may then have been taken.
 * A 503 at the end of that time is returned as is.
 */
export async function repeatUntilDecided(
  send: () => Promise<Response>,
  { patienceMs, signal }: RepeatOptions,
): Promise<Decision> {
  const deadline = performance.now() + patienceMs
  let pauseMs = firstPauseMs
  for (let attempts = 1; ; attempts += 1) {
    const { response, error } = await attempt(send, signal)
    // A proxy answers in place of the server while it restarts.
    const isOwn = response !== undefined && response.status !== 502 && response.status !== 504
    const delayMs = isOwn ? retryAfterMs(response) : pauseMs
    const isLast = delayMs === undefined || performance.now() + delayMs > deadline
    if (response !== undefined && isLast) return { response, attempts }
    if (isLast) {
      throw new FareboxError(
        'connection_lost',
        'The connection broke after the payment was sent; it may have been taken.',
        { cause: error },
      )
    }
    await response?.body?.cancel()
    if (!isOwn) pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    await pause(delayMs, signal)
  }
}

type Outcome =
  | { readonly response: Response; readonly error?: undefined }
  | { readonly response?: undefined; readonly error: unknown }

async function attempt(send: () => Promise<Response>, signal: AbortSignal): Promise<Outcome> {
  try {
    return { response: await send() }
  } catch (error) {
    signal.throwIfAborted()
    return { error }
  }
}

/** What a 503 or 429 asks for, at least a quarter of a second; `undefined`: it is final. */
function retryAfterMs(response: Response): number | undefined {
  if (response.status !== 503 && response.status !== 429) return undefined
  const seconds = retryAfterSeconds(response.headers)
  return seconds === undefined ? undefined : Math.max(seconds * 1_000, firstPauseMs)
}
