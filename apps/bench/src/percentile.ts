/** The value below which this share of the values lies; NaN without any. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The middle of some values, of two in the middle the larger. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
