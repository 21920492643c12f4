import { encodeUtf8 } from '../unicode/utf8.ts'
import type { Vocabulary } from './table-file.ts'
import { appendToken, atomBytes } from './token-bytes.ts'

/** Returns the UTF-8 bytes of token ids, which may end inside a character. */
export type ByteDecoder = (tokens: Iterable<number>) => number[]

/** Turns ids back into bytes. A token's bytes are those of its two parts. */
export function createByteDecoder(vocabulary: Vocabulary): ByteDecoder {
  const { header, tables } = vocabulary
  const { ids } = tables
  const tokenOf = ids === null ? null : new Map(Array.from(ids, (id, token) => [id, token]))
  const atoms = atomBytes(vocabulary)
  // An unused number is its own part, like a single byte, but has no bytes.
  const isToken = (token: number): boolean => tables.left[token] !== token || atoms.has(token)

  return (tokens) => {
    const bytes: number[] = []
    for (const id of tokens) {
      if (!Number.isInteger(id)) throw new UnknownTokenError(id)
      const token = tokenOf === null ? id : (tokenOf.get(id) ?? -1)
      const special = header.special[id]
      if (special !== undefined) bytes.push(...encodeUtf8(special))
      else if (token >= 0 && token < tables.firstPart && isToken(token)) {
        appendToken(bytes, token, { tables, atoms })
      } else throw new UnknownTokenError(id)
    }
    return bytes
  }
}

/** The vocabulary has no token with this id. */
export class UnknownTokenError extends Error {
  override readonly name = 'UnknownTokenError'
  readonly code = 'unknown_token'

  constructor(id: number) {
    super(`The vocabulary has no token ${id}`)
  }
}
