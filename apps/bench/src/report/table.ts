import type { Measurement } from '../measure.ts'

/** Rows under a header as a Markdown table. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Prints rows under a header as a Markdown table. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log(markdownTable(header, rows))
}

/** Prints the times of contenders, each relative to the first. */
export function printMeasurements(measurements: readonly Measurement[]): void {
  const base = measurements[0]?.median ?? Number.NaN
  printTable(
    ['', 'median µs', 'best µs', 'calls/s per core', 'ratio'],
    measurements.map(({ name, median, best }) => [
      name,
      median.toFixed(1),
      best.toFixed(1),
      Math.round(1_000_000 / median).toString(),
      (median / base).toFixed(2),
    ]),
  )
}
