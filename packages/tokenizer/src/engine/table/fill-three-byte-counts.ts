import { createBpeState } from '../bpe/bpe-state.ts'
import type { BpeTables } from '../bpe/bpe-tables.ts'
import { countUncached } from '../bpe/count-piece.ts'

/** Fills `threeByteCounts` by merging each code point of three bytes. */
export function fillThreeByteCounts(tables: BpeTables): void {
  const state = createBpeState(tables)
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  for (let codePoint = 0x800; codePoint < 0x10000; codePoint += 1) {
    bytes[0] = 0xe0 | (codePoint >>> 12)
    bytes[1] = 0x80 | ((codePoint >>> 6) & 63)
    bytes[2] = 0x80 | (codePoint & 63)
    tables.threeByteCounts[codePoint] = countUncached(state, { bytes, view, start: 0, stop: 3 })
  }
}
