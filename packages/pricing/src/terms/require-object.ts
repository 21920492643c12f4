/** Callers without types may leave out an argument, or pass one in place of another. */
export function requireObject(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) return
  const kind = value === null ? 'null' : `of type ${typeof value}`
  throw new TypeError(`${name} must be an object, and is ${kind}`)
}
