/** Whether the texts of a JSON value, names of keys included, have more than so many characters. */
export function isLongerThan(value: unknown, most: number): boolean {
  return charactersLeft(value, most) < 0
}

function charactersLeft(value: unknown, left: number): number {
  if (left < 0) return left
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left
  if (Array.isArray(value)) {
    return value.reduce<number>((rest, item) => charactersLeft(item, rest), left)
  }
  return Object.entries(value).reduce(
    (rest, [key, item]) => charactersLeft(item, rest - key.length),
    left,
  )
}
