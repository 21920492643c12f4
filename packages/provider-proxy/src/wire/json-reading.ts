/** An object of parsed JSON whose fields are not known. */
export type JsonRecord = { readonly [key: string]: unknown }

/** Whether parsed JSON is an object and not an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under a key, if there is one. */
export function recordAt(record: JsonRecord, key: string): JsonRecord | undefined {
  const value = record[key]
  return isRecord(value) ? value : undefined
}

/** The array under a key, or an empty one. */
export function arrayAt(record: JsonRecord, key: string): readonly unknown[] {
  const value = record[key]
  return Array.isArray(value) ? value : []
}

/** The non-empty string under a key, if there is one. */
export function textAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The first non-empty string under any of the keys. */
export function firstTextAt(record: JsonRecord, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = textAt(record, key)
    if (text !== undefined) return text
  }
  return undefined
}

/**
 * The most opening brackets and colons in one text: more arrays, objects and names take seconds to parse, and
 * gigabytes of memory. A long completion with the log probabilities of 20 alternatives a token has a million.
 */
const maxStructure = 1_500_000

/** Parsed JSON, or undefined when the text is not JSON, or has too much structure. */
export function parseJson(text: string): unknown {
  if (hasTooMuchStructure(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const schemes: Readonly<Record<'page' | 'image', RegExp>> = {
  /** Servers in the operator's own network have no certificates. */
  page: /^https?:\/\//i,
  image: /^(https?:\/\/|data:image\/)/i,
}

/** The address under a key, if a client can safely open it: never a script or a local file. */
export function addressAt(
  record: JsonRecord,
  key: string,
  kind: keyof typeof schemes,
): string | undefined {
  const url = textAt(record, key)
  return url !== undefined && schemes[kind].test(url) ? url : undefined
}

function hasTooMuchStructure(text: string): boolean {
  if (text.length <= maxStructure) return false
  let count = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '[' || character === '{' || character === ':') count += 1
  }
  return count > maxStructure
}
