/** Numbers that follow from a seed alone. */
export type Random = {
  /** From 0 up to, not including, 1. */
  fraction(): number
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  /** True so often. */
  chance(probability: number): boolean
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  bytes(length: number): Uint8Array
  /** Another source that follows from this one. */
  fork(): Random
}

/** Mulberry32: small, fast, and the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number): number =>
    least + Math.floor(fraction() * (most - least + 1))
  return {
    fraction,
    whole,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
    bytes: (length) => Uint8Array.from({ length }, () => whole(0, 255)),
    fork: () => createRandom(whole(0, 2 ** 32 - 1)),
  }
}
