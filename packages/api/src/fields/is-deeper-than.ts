/** Whether objects and arrays are nested deeper than this. It does not call itself: stacks end. */
export function isDeeperThan(value: object, max: number): boolean {
  const values: object[] = [value]
  const depths = [1]
  for (let next = values.pop(); next !== undefined; next = values.pop()) {
    const depth = depths.pop() ?? 1
    if (depth > max) return true
    const items: readonly unknown[] = Object.values(next)
    for (const item of items) {
      if (typeof item !== 'object' || item === null) continue
      values.push(item)
      depths.push(depth + 1)
    }
  }
  return false
}
