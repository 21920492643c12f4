import { randomBytes } from 'node:crypto'

const poolBytes = 4096

/** Gives random bytes, each once. They are made many at a time: a call of the generator costs more than they do. */
export function createRandomPool(): (length: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array()
  let used = 0
  return function takeRandomBytes(length) {
    if (used + length > pool.length) {
      pool = randomBytes(Math.max(length, poolBytes))
      used = 0
    }
    used += length
    return new Uint8Array(pool.subarray(used - length, used))
  }
}
