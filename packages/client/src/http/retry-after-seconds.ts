/** The whole seconds of `Retry-After`; `undefined` without them. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined
}
