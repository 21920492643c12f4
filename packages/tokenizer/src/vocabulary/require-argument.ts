/** Callers without types may pass anything; counted as text, a number would have no tokens. */
export function requireText(text: unknown): string {
  if (typeof text === 'string') return text
  throw new TypeError(`text must be a string, and is ${kindOf(text)}`)
}

export function requireLimit(limit: unknown): number {
  if (typeof limit === 'number' && !Number.isNaN(limit)) return limit
  throw new TypeError(
    `limit must be a number of tokens, and is ${typeof limit === 'number' ? limit : kindOf(limit)}`,
  )
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
