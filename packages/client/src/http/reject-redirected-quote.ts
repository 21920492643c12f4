import { FareboxError } from '../farebox-error.ts'

/**
 * Throws if a redirect led to the server that asks for a payment. The payment would be redirected
 * too, and is not sent on, so a signature would be of no use.
 */
export function rejectRedirectedQuote({ redirected, url, status }: Response): void {
  if (!redirected) return
  const { origin } = new URL(url)
  throw new FareboxError(
    'invalid_response',
    `The server redirected the request to ${origin}. Payments do not follow redirects: use the URL of that server. Nothing was paid.`,
    { status },
  )
}
