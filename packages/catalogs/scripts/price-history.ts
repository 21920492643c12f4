import { isDeepStrictEqual } from 'node:util'

type Price = { readonly effectiveFrom: string; readonly source: string; readonly basis?: string }

/**
 * A price history with newly built prices appended.
 *
 * @throws if a published price would change: published prices are final, and a new price needs a
 * later date.
 */
export function appended<Entry extends Price>(
  id: string,
  history: readonly Entry[],
  built: readonly Entry[],
): readonly Entry[] {
  const entries = [...history]
  for (const price of built) {
    const same = entries.find((entry) => entry.effectiveFrom === price.effectiveFrom)
    if (same !== undefined && !isDeepStrictEqual(same, price)) {
      throw new Error(`${id}: the price of ${price.effectiveFrom} is published and cannot change`)
    }
    const before = entries.findLast((entry) => entry.effectiveFrom < price.effectiveFrom)
    if (same === undefined && (before === undefined || !samePrice(before, price))) {
      entries.push(price)
      entries.sort((a, b) => (a.effectiveFrom < b.effectiveFrom ? -1 : 1))
    }
  }
  return entries
}

function samePrice(a: Price, b: Price): boolean {
  const bare = ({
    effectiveFrom: _from,
    source: _source,
    basis: _basis,
    ...price
  }: Price): object => price
  return isDeepStrictEqual(bare(a), bare(b))
}
