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
    const outcome = await attempt(send, signal)
    const isOwn = isFromServer(outcome)
    const delayMs = isOwn ? retryAfterMs(outcome.response) : pauseMs
    if (outcome.kind === 'responded' && delayMs === undefined) return { ...outcome, attempts }
    if (performance.now() + (delayMs ?? 0) > deadline) {
      if (outcome.kind === 'responded') return { ...outcome, attempts }
      throw new FareboxError(
        'connection_lost',
        'The connection broke after the payment was sent; it may have been taken.',
        { cause: outcome.error },
      )
    }
    if (outcome.kind === 'responded') await outcome.response.body?.cancel()
    if (!isOwn) pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    await pause(delayMs ?? 0, signal)
  }
}

type Outcome =
  | { readonly kind: 'responded'; readonly response: Response }
  | { readonly kind: 'broken'; readonly error: unknown }

/** Whether the server itself responded, rather than a proxy in front of it while it restarts. */
function isFromServer(outcome: Outcome): outcome is Outcome & { readonly kind: 'responded' } {
  return outcome.kind === 'responded' && ![502, 504].includes(outcome.response.status)
}

async function attempt(send: () => Promise<Response>, signal: AbortSignal): Promise<Outcome> {
  try {
    return { kind: 'responded', response: await send() }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'broken', error }
  }
}

/** What a 503 or 429 asks for, at least a quarter of a second; `undefined`: it is final. */
function retryAfterMs(response: Response): number | undefined {
  if (response.status !== 503 && response.status !== 429) return undefined
  const seconds = retryAfterSeconds(response.headers)
  return seconds === undefined ? undefined : Math.max(seconds * 1_000, firstPauseMs)
}
