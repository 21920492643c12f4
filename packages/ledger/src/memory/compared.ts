/** The order of two values, as a sort expects it. */
export function compared<Value extends bigint | number | string>(a: Value, b: Value): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
