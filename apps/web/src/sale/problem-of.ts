/** Why a purchase failed, as a sentence for the visitor. */
export function problemOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'AbortError') {
    return 'Stopped. What was generated until then is billed; the rest is refunded.'
  }
  if (!isObject(error)) return 'The request failed.'
  const { code, message } = refusalOf(error)
  if (code === 4001) return 'The wallet declined. Nothing was paid.'
  if (code === 4902) return 'The wallet does not know the chain of the payment. Nothing was paid.'
  return typeof message === 'string' ? message : 'The request failed.'
}

type Refusal = { readonly code?: unknown; readonly message?: unknown }

/** Wallets refuse with plain objects, which the client keeps as the cause of its error. */
function refusalOf(error: Refusal & { readonly cause?: unknown }): Refusal {
  return isObject(error.cause) && 'code' in error.cause ? error.cause : error
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
