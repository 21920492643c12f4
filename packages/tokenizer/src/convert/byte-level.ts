/** The letters that byte-level vocabularies use for bytes; printable bytes stand for themselves. */
const byteOfLetter: ReadonlyMap<string, number> = new Map(letters())

function letters(): readonly (readonly [string, number])[] {
  const pairs: (readonly [string, number])[] = []
  let next = 256
  for (let byte = 0; byte < 256; byte += 1) {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
    pairs.push([String.fromCharCode(printable ? byte : next), byte])
    if (!printable) next += 1
  }
  return pairs
}

/** The bytes of a token of a byte-level vocabulary; `undefined` if the token is not byte-level. */
export function bytesOfToken(token: string): Uint8Array | undefined {
  const bytes = new Uint8Array(token.length)
  for (let index = 0; index < token.length; index += 1) {
    const byte = byteOfLetter.get(token.charAt(index))
    if (byte === undefined) return undefined
    bytes[index] = byte
  }
  return bytes
}
