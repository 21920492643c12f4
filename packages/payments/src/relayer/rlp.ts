/** An item in Recursive Length Prefix, as parts to be joined. */
export type RlpItem = readonly Uint8Array[]

/**
 * Bytes in Recursive Length Prefix
 * (https://ethereum.org/developers/docs/data-structures-and-encoding/rlp/).
 */
export function rlpBytes(bytes: Uint8Array): RlpItem {
  const isItsOwnPrefix = bytes.length === 1 && (bytes[0] ?? 0) < 0x80
  return isItsOwnPrefix ? [bytes] : [prefix(0x80, bytes.length), bytes]
}

/** A number in its shortest form; zero is empty. */
export function rlpNumber(number: bigint): RlpItem {
  return rlpBytes(bigEndian(number))
}

export function rlpList(items: readonly RlpItem[]): RlpItem {
  const parts = items.flat()
  return [
    prefix(
      0xc0,
      parts.reduce((sum, { length }) => sum + length, 0),
    ),
    ...parts,
  ]
}

function prefix(kind: number, length: number): Uint8Array {
  if (length <= 55) return Uint8Array.of(kind + length)
  const size = bigEndian(BigInt(length))
  return Uint8Array.of(kind + 55 + size.length, ...size)
}

function bigEndian(number: bigint): Uint8Array {
  if (number === 0n) return new Uint8Array()
  const digits = number.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}
