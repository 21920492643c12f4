/** A count before its noun, such as `1 payment` and `2 payments`. The noun takes an `s` for several. */
export function countOf(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`
}
