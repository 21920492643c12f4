import { FareboxError } from '../farebox-error.ts'

export type Limit = {
  readonly url: string
  /** Ends the work too. */
  readonly signal: AbortSignal | undefined
  /** Defaults to 30,000. */
  readonly timeoutMs?: number | undefined
}

/**
 * Runs the work of a free request with a signal that ends it in time. Throws the reason of the given
 * signal, or `connection_failed` if the server takes too long.
 */
export async function inTime<Value>(
  { url, signal, timeoutMs = 30_000 }: Limit,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const ending = new AbortController()
  const abort = (): void => ending.abort(signal?.reason)
  const timer = setTimeout(() => ending.abort(tooSlow(url, timeoutMs)), timeoutMs)
  signal?.addEventListener('abort', abort)
  if (signal?.aborted === true) abort()
  try {
    return await work(ending.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function tooSlow(url: string, timeoutMs: number): FareboxError {
  return new FareboxError(
    'connection_failed',
    `${new URL(url).origin} did not answer within ${timeoutMs / 1_000} s.`,
  )
}
