/** How much structure a body may have; beyond it, parsing would block the event loop. */
export type JsonLimits = {
  readonly depth: number
  /** Values in arrays and objects together. */
  readonly elements: number
  readonly keys: number
}

export const jsonLimits: JsonLimits = { depth: 32, elements: 20_000, keys: 50_000 }

/** Checks the bytes of a JSON text as they arrive, in constant memory except for the open keys. */
export type JsonScan = {
  /** Takes the next bytes; returns the problem as soon as there is one. */
  push(bytes: Uint8Array): string | undefined
}

/**
 * Rejects nesting, element counts and keys beyond the limits, repeated keys and `__proto__`, before
 * `JSON.parse` pays for them: 10 MB of `{}` blocks the event loop for over a second. Two parsers
 * may disagree on a repeated key, so that what is priced would not be what is forwarded.
 */
export function createJsonScan(limits: JsonLimits): JsonScan {
  const state: ScanState = {
    limits,
    frames: [],
    elements: 0,
    keys: 0,
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
  /** Whether a string is open, and whether its next byte is escaped. */
  text: 'none' | 'open' | 'escaped'
  expectsKey: boolean
  /** The bytes of the open string, when it is a key. */
  key: number[] | undefined
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

function scan(state: ScanState, bytes: Uint8Array): string | undefined {
  const quotes = nextQuote(bytes)
  let index = 0
  while (index < bytes.length) {
    if (state.text === 'open' && state.key === undefined) index = skipText(bytes, index, quotes)
    const next = bytes[index]
    if (next === undefined) return undefined
    const problem = state.text === 'none' ? takeStructure(state, next) : takeText(state, next)
    if (problem !== undefined) return problem
    index += 1
  }
  return undefined
}

type Finder = (from: number) => number

/** Finds the next quote and remembers it: in a text full of escapes, each one would search again. */
function nextQuote(bytes: Uint8Array): Finder {
  let found = -1
  return (from) => {
    if (found < from) {
      const next = bytes.indexOf(byte.quote, from)
      found = next === -1 ? bytes.length : next
    }
    return found
  }
}

/** Most of a body is long texts: skips to the next byte that can matter. */
function skipText(bytes: Uint8Array, from: number, quoteFrom: Finder): number {
  if (bytes[from] === byte.backslash) return from
  const stop = quoteFrom(from)
  const backslash = bytes.subarray(from, stop).indexOf(byte.backslash)
  return backslash === -1 ? stop : from + backslash
}

function takeStructure(state: ScanState, next: number): string | undefined {
  switch (next) {
    case byte.quote:
      state.text = 'open'
      state.key = state.expectsKey ? [] : undefined
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
  if (frames.length > limits.depth) return `is nested deeper than ${limits.depth} levels`
  return addElement(state)
}

function addElement(state: ScanState): string | undefined {
  state.elements += 1
  const { elements, limits } = state
  return elements > limits.elements ? `has more than ${limits.elements} values` : undefined
}

function takeText(state: ScanState, next: number): string | undefined {
  if (state.text === 'open' && next === byte.quote) return endText(state)
  state.text = state.text === 'open' && next === byte.backslash ? 'escaped' : 'open'
  if (state.key === undefined) return undefined
  state.key.push(next)
  return state.key.length > maxKeyBytes ? `has a key longer than ${maxKeyBytes} bytes` : undefined
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
  const { frames, limits } = state
  const seen = frames.at(-1)
  state.keys += 1
  if (state.keys > limits.keys) return `has more than ${limits.keys} keys`
  if (key === undefined || !(seen instanceof Set)) return undefined
  if (key === '__proto__') return 'has a key __proto__'
  if (seen.has(key)) return `repeats the key ${JSON.stringify(key.slice(0, 80))}`
  seen.add(key)
  return undefined
}

/** `undefined` for invalid JSON: `JSON.parse` of the whole body will reject it. */
function decodeKey(bytes: readonly number[]): string | undefined {
  const raw = Buffer.from(bytes).toString('utf8')
  if (!raw.includes('\\')) return raw
  try {
    const key: unknown = JSON.parse(`"${raw}"`)
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}
