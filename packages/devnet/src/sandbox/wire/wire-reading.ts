/** An object of a request whose fields are not known. */
export type WireRecord = { readonly [key: string]: unknown }

export function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The records of an array; empty for anything else. */
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

/** A whole number within bounds, or the value to take in its stead. */
export function wholeNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : otherwise
}
