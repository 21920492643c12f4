import { formatUsd, greatest, parseUsd } from '@farebox/money'
import type { RateText } from '../chat/chat-record.ts'

/** The higher of two sets of rates, rate by rate; cache rates only if both have them. */
export function dearerRates(a: RateText, b: RateText): RateText {
  const input = dearer(a.input, b.input)
  const cacheWrite = dearer(a.cacheWrite ?? a.input, b.cacheWrite ?? b.input)
  return {
    input,
    output: dearer(a.output, b.output),
    ...(a.cacheRead !== undefined &&
      b.cacheRead !== undefined && { cacheRead: dearer(a.cacheRead, b.cacheRead) }),
    ...(cacheWrite !== input && { cacheWrite }),
  }
}

function dearer(a: string, b: string): string {
  return formatUsd(greatest(parseUsd(a), parseUsd(b)))
}
