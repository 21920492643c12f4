import { maxLevels } from '@farebox/api'

/** How much structure a body may have; beyond it, parsing would block the event loop. */
export type JsonLimits = {
  readonly depth: number
  /** Values in arrays and objects together. */
  readonly elements: number
  readonly keys: number
  /** Distinct keys. Each takes longer to parse, validate and write than a value. */
  readonly differentKeys: number
}

/**
 * 10,000 messages of an agent have some 150,000 values and a few names of keys. Reading as many takes
 * about 50 milliseconds.
 */
export const jsonLimits: JsonLimits = {
  depth: maxLevels,
  elements: 160_000,
  keys: 200_000,
  differentKeys: 20_000,
}

/** Checks the bytes of a JSON text as they arrive, in constant memory except for the open keys. */
export type JsonScan = {
  /** Takes the next bytes; returns the problem as soon as there is one. */
  push(bytes: Uint8Array): string | undefined
}

/**
 * Rejects nesting, element counts and keys beyond the limits, repeated keys and `__proto__`, before
 * `JSON.parse` spends time on them: 10 MB of `{}` blocks the event loop for over a second. Two
 * parsers may disagree on a repeated key, so that what is priced would not be what is forwarded.
 */
export function createJsonScan(limits: JsonLimits): JsonScan {
  const state: ScanState = {
    limits,
    frames: [],
    elements: 0,
    keys: 0,
    names: new Set(),
    text: 'none',
    expectsKey: false,
    key: undefined,
  }
  return { push: (bytes) => scan(state, bytes) }
}

type Frame = 'array' | Set<string>

type ScanState = {
  readonly limits: JsonLimits
  /** The open arrays, and the keys of the open objects. */
  readonly frames: Frame[]
  elements: number
  keys: number
  readonly names: Set<string>
  /** Whether a string is open, and whether its next byte is escaped. */
  text: 'none' | 'open' | 'escaped'
  expectsKey: boolean
  /** The bytes of the open string, when it is a key. */
  key: Buffer | undefined
}

const byte = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
} as const

const maxKeyBytes = 1024
const noBytes = Buffer.alloc(0)

function scan(state: ScanState, bytes: Uint8Array): string | undefined {
  let index = 0
  while (index < bytes.length) {
    const isText = state.text !== 'none'
    const stop = isText ? textEnd(state, bytes, index) : structureStart(bytes, index)
    const problem = isText
      ? takeText(state, bytes.subarray(index, stop), bytes[stop])
      : takeStructure(state, bytes[stop])
    if (problem !== undefined) return problem
    index = stop + 1
  }
  return undefined
}

/**
 * The index of the quote that closes the open string, or the end of the bytes. Most strings have
 * few escapes, and the built-in search is fastest; one that has an escape may have millions, and is
 * walked from there, since a search for each would cost more.
 */
function textEnd(state: ScanState, bytes: Uint8Array, from: number): number {
  const start = state.text === 'escaped' ? from + 1 : from
  state.text = 'open'
  const quote = bytes.indexOf(byte.quote, start)
  const stop = quote === -1 ? bytes.length : quote
  const backslash = bytes.subarray(start, stop).indexOf(byte.backslash)
  if (backslash === -1) return stop
  let index = start + backslash
  while (index < bytes.length && bytes[index] !== byte.quote) {
    index += bytes[index] === byte.backslash ? 2 : 1
  }
  if (index > bytes.length) state.text = 'escaped'
  return Math.min(index, bytes.length)
}

/** Every byte that the structure depends on; the rest are numbers, literals and white space. */
const isStructure: Uint8Array = new Uint8Array(256)
for (const structural of Object.values(byte)) isStructure[structural] = 1

function structureStart(bytes: Uint8Array, from: number): number {
  let index = from
  while (index < bytes.length && isStructure[bytes[index] ?? 0] === 0) index += 1
  return index
}

function takeStructure(state: ScanState, next: number | undefined): string | undefined {
  switch (next) {
    case byte.quote:
      state.text = 'open'
      state.key = state.expectsKey ? noBytes : undefined
      return undefined
    case byte.openBrace:
      state.expectsKey = true
      return open(state, new Set())
    case byte.openBracket:
      state.expectsKey = false
      return open(state, 'array')
    case byte.closeBrace:
    case byte.closeBracket:
      state.frames.pop()
      state.expectsKey = false
      return undefined
    case byte.comma:
      state.expectsKey = state.frames.at(-1) instanceof Set
      return addElement(state)
    case byte.colon:
      state.expectsKey = false
      return undefined
    default:
      return undefined
  }
}

function open(state: ScanState, frame: Frame): string | undefined {
  const { frames, limits } = state
  frames.push(frame)
  if (frames.length > limits.depth) return `must be nested at most ${limits.depth} levels deep`
  return addElement(state)
}

function addElement(state: ScanState): string | undefined {
  state.elements += 1
  const { elements, limits } = state
  return elements > limits.elements ? `must have at most ${limits.elements} values` : undefined
}

/** Takes bytes of the open string, and the quote after them if it is closed. */
function takeText(
  state: ScanState,
  bytes: Uint8Array,
  next: number | undefined,
): string | undefined {
  if (state.key !== undefined) {
    if (state.key.length + bytes.length > maxKeyBytes)
      return `has a key longer than ${maxKeyBytes} bytes`
    const isWhole = state.key.length === 0 && next !== undefined
    state.key = isWhole ? viewOf(bytes) : Buffer.concat([state.key, bytes])
  }
  return next === undefined ? undefined : endText(state)
}

/** A view of the bytes, not a copy. */
function viewOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

function endText(state: ScanState): string | undefined {
  const { key } = state
  state.text = 'none'
  state.key = undefined
  if (key === undefined) return undefined
  state.expectsKey = false
  return addKey(state, decodeKey(key))
}

function addKey(state: ScanState, key: string | undefined): string | undefined {
  const { frames, limits, names } = state
  const seen = frames.at(-1)
  state.keys += 1
  if (state.keys > limits.keys) return `must have at most ${limits.keys} keys`
  if (key === undefined || !(seen instanceof Set)) return undefined
  names.add(key)
  if (names.size > limits.differentKeys)
    return `must have at most ${limits.differentKeys} different keys`
  if (key === '__proto__') return 'must not have a key __proto__'
  if (seen.has(key))
    return `must not repeat the key ${JSON.stringify(key.slice(0, 80))} in one object`
  seen.add(key)
  return undefined
}

/** `undefined` for invalid JSON: `JSON.parse` of the whole body will reject it. */
function decodeKey(bytes: Buffer): string | undefined {
  const raw = bytes.toString('utf8')
  if (!raw.includes('\\')) return raw
  try {
    const key: unknown = JSON.parse(`"${raw}"`)
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}
