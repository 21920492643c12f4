import type { Hex } from '@farebox/ledger'

const canonical = /^0x[0-9a-f]*$/
const upperCase = /[A-Z]/

/** Hexadecimal text in its canonical form, lower case. `undefined` for any other text. */
export function parseHex(text: unknown): Hex | undefined {
  if (typeof text !== 'string') return undefined
  if (isCanonical(text)) return text
  const lower = text.toLowerCase()
  return isCanonical(lower) ? lower : undefined
}

/** Hexadecimal text of exactly that many bytes, in canonical form. */
export function parseHexOf(bytes: number, text: unknown): Hex | undefined {
  const hex = parseHex(text)
  return hex?.length === 2 + 2 * bytes ? hex : undefined
}

/** Lower-cases text that is known to be hexadecimal. */
export function lowerHex(text: Hex): Hex {
  if (!upperCase.test(text)) return text
  return `0x${text.slice(2).toLowerCase()}`
}

/** Bytes as hexadecimal text. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** The bytes of canonical hexadecimal text. */
export function hexToBytes(hex: Hex): Uint8Array {
  return new Uint8Array(Buffer.from(hex.slice(2), 'hex'))
}

/**
 * An address, a number or 32 bytes as a word of the contract ABI
 * (https://docs.soliditylang.org/en/latest/abi-spec.html): 64 hexadecimal digits.
 */
export function wordOf(value: Hex | bigint): string {
  return (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')
}

function isCanonical(text: string): text is Hex {
  return canonical.test(text)
}
