import type { SplitOptions } from './split-text.ts'

/** Callers without types may pass anything; counted as text, a number would have no tokens. */
export function requireText(text: unknown, name = 'text'): string {
  if (typeof text === 'string') return text
  throw new TypeError(`${name} must be a string, and is ${kindOf(text)}`)
}

/** Part of a token, or fewer than none, comes from an error in the caller's arithmetic. */
export function requireLimit(limit: unknown): number {
  if (Number.isSafeInteger(limit) && Number(limit) >= 0) return Number(limit)
  throw new TypeError(
    `limit must be a whole number of tokens of at least 0, and is ${valueOrKind(limit)}`,
  )
}

/** A number that may be infinite, but not below 0 or NaN. */
export function requireAmount(name: string, amount: unknown): void {
  if (typeof amount === 'number' && amount >= 0) return
  throw new TypeError(`${name} must be a number of at least 0, and is ${valueOrKind(amount)}`)
}

export function requireIds(ids: unknown): Iterable<number> {
  if (isIterable(ids)) return ids
  throw new TypeError(`tokens must be an array of token ids, and is ${kindOf(ids)}`)
}

function isIterable(value: unknown): value is Iterable<number> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** The bytes of a view or a buffer. */
export function requireBytes(name: string, bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes
  if (ArrayBuffer.isView(bytes)) {
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  if (isBuffer(bytes)) return new Uint8Array(bytes)
  throw new TypeError(`${name} must be a Uint8Array or an ArrayBuffer, and is ${kindOf(bytes)}`)
}

/** Also one of another realm, and a shared one, which not every runtime has. */
function isBuffer(value: unknown): value is ArrayBuffer {
  return /^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value))
}

/** A character may have four tokens. */
const fewestTokens = 4

export function requireSplit(options: SplitOptions | undefined): SplitOptions {
  const { tokens, overlap = 0 } = options ?? { tokens: Number.NaN }
  requireInteger('tokens', tokens, { from: fewestTokens, below: Number.POSITIVE_INFINITY })
  requireInteger('overlap', overlap, { from: 0, below: tokens })
  return { tokens, overlap }
}

export function requireInteger(
  name: string,
  value: unknown,
  { from, below }: { readonly from: number; readonly below: number },
): void {
  if (Number.isSafeInteger(value) && Number(value) >= from && Number(value) < below) return
  const most = below === Number.POSITIVE_INFINITY ? '' : ` and below ${below}`
  throw new TypeError(`${name} must be an integer of at least ${from}${most}`)
}

function valueOrKind(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value)
}

/** What a value is, for an error. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`
}
