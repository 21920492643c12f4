/** An object of a request, not yet validated. */
export type WireRecord = { readonly [key: string]: unknown }

export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The records of an array; empty if the value is not an array. */
export function recordsOf(value: unknown): readonly WireRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** A string, or the texts of an array of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return recordsOf(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

/** Returns a whole number that is not negative, or the fallback. */
export function wholeNumber(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : fallback
}
