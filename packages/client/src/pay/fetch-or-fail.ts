import { FareboxError } from '../farebox-error.ts'

type Target = { readonly url: string; readonly signal: AbortSignal | undefined }

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
