import type { JsonRecord } from './json-reading.ts'

/** The count under a key: a non-negative safe integer, or undefined for anything else. */
export function countAt(record: JsonRecord | undefined, key: string): number | undefined {
  const value = record?.[key]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** The first count under any of the keys. */
export function firstCountAt(
  record: JsonRecord | undefined,
  keys: readonly string[],
): number | undefined {
  for (const key of keys) {
    const count = countAt(record, key)
    if (count !== undefined) return count
  }
  return undefined
}
