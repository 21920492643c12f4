/** A count before its noun, such as `1 payment` and `2 payments`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
