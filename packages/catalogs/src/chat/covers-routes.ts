import { greatest, parseUsd } from '@farebox/money'
import type { UpstreamRoute } from './chat-model.ts'
import type { RateText } from './rate-text.ts'

/** Whether a price is at least that of each route: a quote must cover any of them. */
export function coversRoutes(rates: RateText, routes: readonly UpstreamRoute[]): boolean {
  const input = greatest(parseUsd(rates.input), parseUsd(rates.cacheWrite ?? rates.input))
  return routes.every(
    ({ price: own }) =>
      own === undefined ||
      (parseUsd(own.output) <= parseUsd(rates.output) &&
        parseUsd(own.input) <= parseUsd(rates.input) &&
        parseUsd(own.cacheRead ?? own.input) <= input &&
        parseUsd(own.cacheWrite ?? own.input) <= input),
  )
}
