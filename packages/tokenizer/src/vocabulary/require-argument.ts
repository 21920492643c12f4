import type { SplitOptions } from './split-text.ts'

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

/** A character may have four tokens. */
const fewestTokens = 4

export function requireSplit(options: SplitOptions | undefined): SplitOptions {
  const { tokens, overlap = 0 } = options ?? { tokens: Number.NaN }
  requireInteger('tokens', tokens, { from: fewestTokens, below: Number.POSITIVE_INFINITY })
  requireInteger('overlap', overlap, { from: 0, below: tokens })
  return { tokens, overlap }
}

function requireInteger(
  name: string,
  value: unknown,
  { from, below }: { readonly from: number; readonly below: number },
): void {
  if (Number.isSafeInteger(value) && Number(value) >= from && Number(value) < below) return
  const most = below === Number.POSITIVE_INFINITY ? '' : ` and below ${below}`
  throw new TypeError(`${name} must be an integer of at least ${from}${most}`)
}

/** What a value is, for an error. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
