import type { Vocabulary } from './table-file.ts'

/** Exists in Node, workers and browsers; the domain is compiled without their types. */
declare const TextDecoder: new (
  label: string,
  options: { readonly ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string }

/** Turns ids back into text. Every token's bytes follow from its two parts. */
export function createDecoder({
  header,
  tables,
  ids,
}: Vocabulary): (tokens: Iterable<number>) => string {
  const { left, right, lengths, nodes, tokenAt } = tables
  const tokenOf = ids === null ? null : new Map(Array.from(ids, (id, token) => [id, token]))
  const byteOf = new Map<number, number>()
  const rootBase = (nodes[0] ?? 0) >>> 10
  for (let byte = 0; byte < 256; byte += 1) byteOf.set(tokenAt[rootBase + byte] ?? 0, byte)

  /** Appends a token's bytes by taking the left part first, with the right parts waiting. */
  const append = (bytes: number[], token: number): void => {
    const waiting = [token]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const first = left[next] ?? next
      if (first === next) bytes.push(byteOf.get(next) ?? 0)
      else waiting.push(right[next] ?? 0, first)
    }
  }

  return (tokens) => {
    const bytes: number[] = []
    for (const id of tokens) {
      const token = tokenOf === null ? id : (tokenOf.get(id) ?? -1)
      const special = header.special[id]
      if (special !== undefined) for (const byte of utf8(special)) bytes.push(byte)
      else if (isToken(token, lengths, byteOf)) append(bytes, token)
      else throw new UnknownTokenError(id)
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
  }
}

/** A number without a token points to itself like a single byte, but no byte points to it. */
function isToken(token: number, lengths: Uint8Array, byteOf: ReadonlyMap<number, number>): boolean {
  const length = lengths[token]
  return length !== undefined && (length > 1 || byteOf.has(token))
}

function utf8(text: string): readonly number[] {
  const escaped = encodeURIComponent(text)
  return Array.from(escaped.matchAll(/%(..)|(.)/gu), ([, hex, plain]) =>
    hex === undefined ? (plain ?? '').charCodeAt(0) : Number.parseInt(hex, 16),
  )
}

/** An id was to be decoded that the vocabulary does not have. */
export class UnknownTokenError extends Error {
  override readonly name = 'UnknownTokenError'
  readonly code = 'unknown_token'

  constructor(id: number) {
    super(`The vocabulary has no token ${id}`)
  }
}
