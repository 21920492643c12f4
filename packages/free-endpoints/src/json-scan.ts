/** How much structure a body may have before it costs more to parse than it is worth. */
export type JsonLimits = {
  readonly depth: number
  /** Values in arrays and objects together. */
  readonly elements: number
  readonly keys: number
}

export const jsonLimits: JsonLimits = { depth: 32, elements: 20_000, keys: 50_000 }

/** Looks at the bytes of a JSON text as they come, in constant memory but for the open keys. */
export type JsonScan = {
  /** Takes the next bytes; says what is wrong as soon as it is known. */
  push(bytes: Uint8Array): string | undefined
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

type Frame = { readonly keys: Set<string> | undefined }

/**
 * Refuses nesting, element counts and keys beyond the limits, repeated keys and `__proto__`, before
 * `JSON.parse` pays for them: 10 MB of `{}` blocks the event loop for over a second. Two parsers
 * may disagree on a repeated key, so that what is priced would not be what is forwarded.
 */
export function createJsonScan(limits: JsonLimits): JsonScan {
  const frames: Frame[] = []
  let elements = 0
  let keys = 0
  let inString = false
  let escaped = false
  let expectsKey = false
  let text: number[] | undefined

  function open(isObject: boolean): string | undefined {
    frames.push({ keys: isObject ? new Set() : undefined })
    expectsKey = isObject
    return frames.length > limits.depth ? `is nested deeper than ${limits.depth} levels` : addElement()
  }

  function addElement(): string | undefined {
    elements += 1
    return elements > limits.elements ? `has more than ${limits.elements} values` : undefined
  }

  function endString(): string | undefined {
    inString = false
    if (text === undefined) return undefined
    const key = decodeKey(text)
    text = undefined
    expectsKey = false
    return key === undefined ? undefined : addKey(key)
  }

  function addKey(key: string): string | undefined {
    const seen = frames.at(-1)?.keys
    keys += 1
    if (keys > limits.keys) return `has more than ${limits.keys} keys`
    if (key === '__proto__') return 'has a key __proto__'
    if (seen?.has(key) === true) return `repeats the key ${JSON.stringify(key.slice(0, 80))}`
    seen?.add(key)
    return undefined
  }

  function pushInString(byte: number): string | undefined {
    if (!escaped && byte === quote) return endString()
    escaped = !escaped && byte === backslash
    if (text === undefined) return undefined
    text.push(byte)
    return text.length > maxKeyBytes ? `has a key longer than ${maxKeyBytes} bytes` : undefined
  }

  function pushOutside(byte: number): string | undefined {
    switch (byte) {
      case quote:
        inString = true
        escaped = false
        text = expectsKey ? [] : undefined
        return undefined
      case openBrace:
        return open(true)
      case openBracket:
        return open(false)
      case closeBrace:
      case closeBracket:
        frames.pop()
        expectsKey = false
        return undefined
      case comma:
        expectsKey = frames.at(-1)?.keys !== undefined
        return addElement()
      case colon:
        expectsKey = false
        return undefined
      default:
        return undefined
    }
  }

  function push(bytes: Uint8Array): string | undefined {
    let index = 0
    while (index < bytes.length) {
      if (inString && text === undefined && !escaped) index = skipString(bytes, index)
      const byte = bytes[index]
      if (byte === undefined) return undefined
      const problem = inString ? pushInString(byte) : pushOutside(byte)
      if (problem !== undefined) return problem
      index += 1
    }
    return undefined
  }

  return { push }
}

const maxKeyBytes = 1024

/** Long texts are most of a body: go straight to the next byte that can matter. */
function skipString(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(quote, from)
  const stop = end === -1 ? bytes.length : end
  const escape = bytes.subarray(from, stop).indexOf(backslash)
  return escape === -1 ? stop : from + escape
}

function decodeKey(bytes: readonly number[]): string | undefined {
  const raw = Buffer.from(bytes).toString('utf8')
  if (!raw.includes('\\')) return raw
  try {
    const key: unknown = JSON.parse(`"${raw}"`)
    return typeof key === 'string' ? key : undefined
  } catch {
    // Not JSON: JSON.parse of the whole body says so.
    return undefined
  }
}
