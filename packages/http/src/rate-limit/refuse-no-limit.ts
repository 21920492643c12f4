/** Throws a RangeError for a limit that nothing exceeds, such as `Number` of a variable that is unset. */
export function refuseNoLimit(name: string, limit: number): void {
  if (typeof limit === 'number' && limit >= 0) return
  throw new RangeError(`${name} must be at least 0, and is ${limit}`)
}
