/**
 * The code of a failed connection in parentheses, such as ` (ENOTFOUND)` or ` (CERT_HAS_EXPIRED)`; empty
 * without one. Codes are Node's and undici's own words.
 */
export function connectionCode(cause: Error | undefined): string {
  const code: unknown = cause !== undefined && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z\d_]{1,63}$/.test(code) ? ` (${code})` : ''
}
