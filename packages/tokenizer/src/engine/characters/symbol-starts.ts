import type { Vocabulary } from '../table/table-file.ts'
import { appendToken, atomBytes } from '../table/token-bytes.ts'

/** How the symbols of a vocabulary begin: tokens that are found in a text before anything merges. */
export type SymbolStarts = {
  /** 1 for each byte that begins a symbol. */
  readonly bytes: Uint8Array
  /** 1 for each two bytes that a text may begin with that begins with a symbol. */
  readonly pairs: Uint8Array
}

export function createSymbolStarts(
  vocabulary: Pick<Vocabulary, 'header' | 'tables'>,
): SymbolStarts {
  const { tables, header } = vocabulary
  const atoms = atomBytes(vocabulary)
  const starts = { bytes: new Uint8Array(256), pairs: new Uint8Array(1 << 16) }
  for (let place = 0; place < (header.symbols ?? 0); place += 1) {
    const symbol: number[] = []
    appendToken(symbol, tables.firstPart - 1 - place, { tables, atoms })
    const [first = 0, second] = symbol
    starts.bytes[first] = 1
    if (second === undefined) starts.pairs.fill(1, first << 8, (first + 1) << 8)
    else starts.pairs[(first << 8) | second] = 1
  }
  return starts
}
