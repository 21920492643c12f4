const apostrophe = 0x27
const letterD = 0x64
const letterL = 0x6c
const letterM = 0x6d
const letterS = 0x73
const letterT = 0x74

/** `'s|'t|'re|'ve|'m|'ll|'d` in lower case at `position`: its end, or `position` if none. */
export function contractionEnd(bytes: Uint8Array, position: number): number {
  if (bytes[position] !== apostrophe) return position
  return suffixEnd(position, bytes[position + 1] ?? 0, bytes[position + 2] ?? 0)
}

/** The same in any case. U+017F, the long s (C5 BF), folds to s. */
export function foldedContractionEnd(bytes: Uint8Array, position: number): number {
  if (bytes[position] !== apostrophe) return position
  const first = bytes[position + 1] ?? 0
  const second = bytes[position + 2] ?? 0
  if (first === 0xc5 && second === 0xbf) return position + 3
  return suffixEnd(position, foldAscii(first), foldAscii(second))
}

function foldAscii(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte
}

function suffixEnd(position: number, first: number, second: number): number {
  switch (first) {
    case letterS:
    case letterT:
    case letterM:
    case letterD:
      return position + 2
    case 0x72: // re
    case 0x76: // ve
      return second === 0x65 ? position + 3 : position
    case letterL:
      return second === letterL ? position + 3 : position
    default:
      return position
  }
}
