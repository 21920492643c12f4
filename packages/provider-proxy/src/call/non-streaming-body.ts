import { arrayAt, isRecord, parseJson } from '../wire/json-reading.ts'

/** A completion in one piece, while its body comes in. */
export type WholeAnswer = {
  feed(bytes: Uint8Array): void
  /** The same as an event stream; undefined when it is no completion. */
  asEvents(): Uint8Array | undefined
}

/** Longest completion that is read, in bytes. */
const maxBytes = 1_000_000

/** Reads what a server sends that does not know of streams, though it was asked for one. */
export function createWholeAnswer(): WholeAnswer {
  const parts: Uint8Array[] = []
  let length = 0
  return {
    feed(bytes) {
      length += bytes.length
      if (length <= maxBytes) parts.push(bytes)
    },
    asEvents() {
      if (length > maxBytes) return undefined
      const json = parseJson(Buffer.concat(parts).toString('utf8'))
      if (!isRecord(json) || (json['error'] ?? null) !== null) return undefined
      if (arrayAt(json, 'choices').length === 0) return undefined
      return Buffer.from(`data: ${JSON.stringify(json)}\n\ndata: [DONE]\n\n`)
    },
  }
}
