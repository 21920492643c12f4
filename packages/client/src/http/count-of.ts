/** A count before its noun. That of `@farebox/api` would bring its schemas into the bundle. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
