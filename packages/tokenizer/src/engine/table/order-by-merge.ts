import type { Parts, SplitSource } from './split-tokens.ts'

/**
 * The order in which tokens come to be, or `null` if that is their numbers' order already.
 *
 * A vocabulary may number a token before a part of it (Llama 3 does). Its merge can happen only
 * once the part is there, and then comes next, whatever the number: right behind the part's.
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

/** When a token is made: at the merge of this number, so many merges later. */
type Moment = { readonly number: number; readonly depth: number }
