/** The JSON of a value; empty for a value that JSON leaves out. */
export function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value)
}
