import { createHash } from 'node:crypto'

/** Numbers in [0, 1) that depend only on the seed. */
export type Seeded = () => number

/** A small generator (mulberry32) seeded by the hash of a text. */
export function seededBy(text: string): Seeded {
  let state = createHash('sha256').update(text).digest().readUInt32LE(0)
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
