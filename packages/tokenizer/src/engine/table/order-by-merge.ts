import type { Parts, SplitSource } from './split-tokens.ts'

/**
 * The order in which merges produce tokens, or `null` if that is the order of their numbers.
 *
 * A vocabulary may number a token before one of its parts (Llama 3 does). Its merge can happen only
 * once the part exists, and then comes next, regardless of the number: right after the part's.
 */
export function orderByMerge(
  { tokens }: SplitSource,
  partsOf: readonly Parts[],
): readonly number[] | null {
  const moments = new Map<number, Moment>()
  const momentOf = (token: number): Moment => {
    const known = moments.get(token)
    if (known !== undefined) return known
    const parts = partsOf[token] ?? []
    let moment: Moment = { number: token, depth: 0 }
    for (const part of parts.length === 2 ? parts : []) {
      const { number, depth } = momentOf(part)
      if (number > moment.number) moment = { number, depth: depth + 1 }
      else if (number === moment.number)
        moment = { number, depth: Math.max(moment.depth, depth + 1) }
    }
    moments.set(token, moment)
    return moment
  }
  const order = tokens
    .map((_, token) => ({ token, ...momentOf(token) }))
    .sort((a, b) => a.number - b.number || a.depth - b.depth || a.token - b.token)
    .map(({ token }) => token)
  return order.every((token, place) => token === place) ? null : order
}

/** When a token is produced: after the merge of this number, and this many merges later. */
type Moment = { readonly number: number; readonly depth: number }
