import { FareboxError } from '../farebox-error.ts'

export type RepeatOptions = {
  /** How long to go on repeating, in milliseconds. */
  readonly patienceMs: number
  readonly signal: AbortSignal
}

export type Decision = {
  readonly response: Response
  /** How often the request was sent. An earlier one may have been taken, whatever the last says. */
  readonly attempts: number
}

const firstPauseMs = 250
const longestPauseMs = 5_000

/**
 * Sends the same signed request until the server has decided: again after `Retry-After` when it
 * answers 503 or 429, and again when the connection breaks. It is always the same authorisation, so
 * that however often it arrives it buys one answer.
 *
 * Throws `connection_lost` when no answer came in time; whether the payment was taken is then not
 * known. A 503 that outlasts the patience is returned as it is.
 */
export async function repeatUntilDecided(
  send: () => Promise<Response>,
  { patienceMs, signal }: RepeatOptions,
): Promise<Decision> {
  const deadline = performance.now() + patienceMs
  let pauseMs = firstPauseMs
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt(send, signal)
    const delayMs = outcome.kind === 'broken' ? pauseMs : retryAfterMs(outcome.response)
    if (outcome.kind === 'answered' && delayMs === undefined) return { ...outcome, attempts }
    if (performance.now() + (delayMs ?? 0) > deadline) {
      if (outcome.kind === 'answered') return { ...outcome, attempts }
      throw new FareboxError(
        'connection_lost',
        'The connection broke after the payment was sent; it may have been taken.',
        { cause: outcome.error },
      )
    }
    if (outcome.kind === 'answered') await outcome.response.body?.cancel()
    else pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    await wait(delayMs ?? 0, signal)
  }
}

type Outcome =
  | { readonly kind: 'answered'; readonly response: Response }
  | { readonly kind: 'broken'; readonly error: unknown }

async function attempt(send: () => Promise<Response>, signal: AbortSignal): Promise<Outcome> {
  try {
    return { kind: 'answered', response: await send() }
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'broken', error }
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
  signal.throwIfAborted()
}

/** The pause that an answer asks for before the request is repeated, if it does. */
function retryAfterMs(response: Response): number | undefined {
  if (response.status !== 503 && response.status !== 429) return undefined
  const seconds = retryAfterSeconds(response.headers)
  return seconds === undefined ? undefined : seconds * 1_000
}

export function retryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined
}
