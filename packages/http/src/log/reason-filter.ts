/** More reasons than this of one outage are not told apart. */
const maxReasons = 10

/**
 * Returns whether a reason of an outage is a new one. Reasons that differ only in numbers, such as an
 * age, are the same.
 */
export function createReasonFilter(): (reason: string) => boolean {
  const known = new Set<string>()
  return (reason) => {
    const kind = reason.replaceAll(/\d+/g, '0')
    if (known.has(kind) || known.size === maxReasons) return false
    known.add(kind)
    return true
  }
}
