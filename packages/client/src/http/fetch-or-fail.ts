import { FareboxError } from '../farebox-error.ts'

type Target = { readonly url: string; readonly signal: AbortSignal | undefined }

/** Gets a URL. Throws `connection_failed` if the server cannot be reached. */
export async function getOrFail(
  target: Target,
  fetch: (url: string, init?: RequestInit) => Promise<Response>,
): Promise<Response> {
  const { url, signal } = target
  return await fetchOrFail(target, async () => await fetch(url, signal && { signal }))
}

/** Sends a request without a payment. Throws `connection_failed` if the server cannot be reached. */
export async function fetchOrFail(
  target: Target,
  send: () => Promise<Response>,
): Promise<Response> {
  try {
    return await send()
  } catch (cause) {
    target.signal?.throwIfAborted()
    const { origin } = new URL(target.url)
    throw new FareboxError(
      'connection_failed',
      `${origin} could not be reached; nothing was paid.`,
      {
        cause,
      },
    )
  }
}
