import { eachCharacter } from '../bpe/character-atoms.ts'
import { childSlot } from '../bpe/trie.ts'
import { encodeUtf8 } from '../unicode/utf8.ts'
import type { Vocabulary } from './table-file.ts'

/** The bytes of tokens without parts: single bytes and, if characters merge, characters. */
export type AtomBytes = ReadonlyMap<number, readonly number[]>

export function atomBytes({ header, tables }: Pick<Vocabulary, 'header' | 'tables'>): AtomBytes {
  const atoms = new Map<number, readonly number[]>()
  const mergesCharacters = header.scanner === 'characters'
  for (let byte = 0; byte < 256; byte += 1) {
    atoms.set(mergesCharacters ? byte : (tables.tokenAt[childSlot(tables.nodes, 0, byte)] ?? 0), [
      byte,
    ])
  }
  if (mergesCharacters) {
    eachCharacter(tables, (token, codePoint) => {
      atoms.set(token, Array.from(encodeUtf8(String.fromCodePoint(codePoint))))
    })
  }
  return atoms
}

/** Appends a token's bytes: the left part first, with the right parts on a stack. */
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
