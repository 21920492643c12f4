import { FareboxError } from '../farebox-error.ts'

type Target = { readonly url: string; readonly signal: AbortSignal | undefined }

/** Sends a request that carries no payment. Throws `connection_failed` when nobody answers it. */
export async function reach(target: Target, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (cause) {
    target.signal?.throwIfAborted()
    const { origin } = new URL(target.url)
    throw new FareboxError('connection_failed', `${origin} does not answer; nothing was paid.`, {
      cause,
    })
  }
}
