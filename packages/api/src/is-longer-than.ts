/** Whether the texts of a JSON value, keys included, have more than this many characters. */
export function isLongerThan(value: unknown, max: number): boolean {
  const values = [value]
  let left = max
  while (values.length > 0 && left >= 0) {
    const next = values.pop()
    if (typeof next === 'string') left -= next.length
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next)) for (const key of Object.keys(next)) left -= key.length
    const items: readonly unknown[] = Object.values(next)
    for (const item of items) values.push(item)
  }
  return left < 0
}
