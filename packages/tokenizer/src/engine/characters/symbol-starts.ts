import type { Vocabulary } from '../table/table-file.ts'
import { appendToken, atomBytes } from '../table/token-bytes.ts'

/** The beginnings of a vocabulary's symbols: tokens that are matched before characters merge. */
export type SymbolStarts = {
  /** 1 for each first byte of a symbol. */
  readonly bytes: Uint8Array
  /** 1 for each two bytes at the start of a text that may start with a symbol. */
  readonly pairs: Uint8Array
  /** Bytes of the longest symbol. */
  readonly longest: number
}

export function createSymbolStarts(
  vocabulary: Pick<Vocabulary, 'header' | 'tables'>,
): SymbolStarts {
  const { tables, header } = vocabulary
  const atoms = atomBytes(vocabulary)
  const starts = { bytes: new Uint8Array(256), pairs: new Uint8Array(1 << 16), longest: 0 }
  for (let place = 0; place < (header.symbols ?? 0); place += 1) {
    const symbol: number[] = []
    appendToken(symbol, tables.firstPart - 1 - place, { tables, atoms })
    const [first = 0, second] = symbol
    starts.longest = Math.max(starts.longest, symbol.length)
    starts.bytes[first] = 1
    if (second === undefined) starts.pairs.fill(1, first << 8, (first + 1) << 8)
    else starts.pairs[(first << 8) | second] = 1
  }
  return starts
}
