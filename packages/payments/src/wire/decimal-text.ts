const uint256Limit = 2n ** 256n

/** A number of the ABI as decimal text; undefined for anything else. */
export function parseUint(value: unknown): bigint | undefined {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) return undefined
  const number = BigInt(value)
  return number < uint256Limit ? number : undefined
}

/** The chain allows times beyond 2^53 seconds, but no sale needs them. */
export function parseSeconds(value: unknown): number | undefined {
  const seconds = parseUint(value)
  return seconds !== undefined && seconds <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(seconds)
    : undefined
}
