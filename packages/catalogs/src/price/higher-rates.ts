import { formatUsd, greatest, parseUsd } from '@farebox/money'
import type { RateText } from '../chat/chat-record.ts'

/** The higher of two sets of rates, rate by rate; cache rates only if both have them. */
export function higherRates(a: RateText, b: RateText): RateText {
  const input = higher(a.input, b.input)
  const cacheWrite = higher(a.cacheWrite ?? a.input, b.cacheWrite ?? b.input)
  return {
    input,
    output: higher(a.output, b.output),
    ...(a.cacheRead !== undefined &&
      b.cacheRead !== undefined && { cacheRead: higher(a.cacheRead, b.cacheRead) }),
    ...(cacheWrite !== input && { cacheWrite }),
  }
}

function higher(a: string, b: string): string {
  return formatUsd(greatest(parseUsd(a), parseUsd(b)))
}
