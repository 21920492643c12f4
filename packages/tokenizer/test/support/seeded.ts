/** Reproducible randomness: a seed gives the same texts on every machine. */
export type Seeded = {
  /** An integer from 0 to below `limit`. */
  readonly below: (limit: number) => number
  readonly pick: <Item>(items: readonly Item[]) => Item
}

/** Mulberry32. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return {
    below,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new RangeError('Cannot pick from an empty list')
      return item
    },
  }
}
