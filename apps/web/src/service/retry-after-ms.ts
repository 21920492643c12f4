/** How long `Retry-After` asks to wait; `undefined` without a number of seconds. */
export function retryAfterMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return seconds >= 0 ? seconds * 1_000 : undefined
}
