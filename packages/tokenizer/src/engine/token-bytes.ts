import { byteTokens, characterAtoms } from './character-atoms.ts'
import type { Vocabulary } from './table-file.ts'

/** The bytes of tokens without parts: single bytes and, where characters merge, characters. */
export type AtomBytes = ReadonlyMap<number, readonly number[]>

export function atomBytes({ header, tables }: Pick<Vocabulary, 'header' | 'tables'>): AtomBytes {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  if (header.scanner === 'characters') {
    const characters = characterAtoms(tables)
    return new Map([
      ...bytes.slice(0, byteTokens).map((byte) => [byte, [byte]] as const),
      ...characters.map((atom) => [atom.token, atom.bytes] as const),
    ])
  }
  const base = (tables.nodes[0] ?? 0) >>> 10
  return new Map(bytes.map((byte) => [tables.tokenAt[base + byte] ?? 0, [byte]]))
}

/** Appends a token's bytes: its left part's first, with the right parts waiting. */
export function appendToken(
  bytes: number[],
  token: number,
  { tables, atoms }: { readonly tables: Vocabulary['tables']; readonly atoms: AtomBytes },
): void {
  const { left, right } = tables
  const waiting = [token]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const first = left[next] ?? next
    if (first === next) bytes.push(...(atoms.get(next) ?? []))
    else waiting.push(right[next] ?? 0, first)
  }
}
