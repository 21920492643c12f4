import { parseUsd, type Usd } from '@farebox/money'
import type {
  ChatPriceRecord,
  ChatRecord,
  PeakText,
  RateText,
  TierText,
} from '../chat/chat-record.ts'
import { ratesSchema } from '../chat/chat-record-schema.ts'
import { higherRates } from '../price/higher-rates.ts'
import { inForce, startsAt } from '../record/dated.ts'
import type { PriceList } from './feed.ts'

/** How far a price may move in one step, up or down. Larger real changes need an override. */
const maxRatio = 3n

/** The result for one model: a new price, no change, or a price that is not plausible. */
export type Verdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'changed'; readonly price: Omit<ChatPriceRecord, 'effectiveFrom'> }
  | { readonly kind: 'refused'; readonly rates: RateText; readonly reason: string }

/**
 * Compares the prices in the feeds with the current price. The new price is the highest over the
 * model's routes. It may be lower than the current one only if every route is listed, and neither the
 * current one nor a later one was announced in advance: a feed that lags behind must not undo an
 * announced increase, nor may a decrease that is read before one and applies after it. It is never
 * lower than a ceiling over several hosts.
 */
export function judgePrice(record: ChatRecord, lists: readonly PriceList[], now: number): Verdict {
  const current = inForce(record.prices, now)
  const listed = record.routes.map((route) => listedAt(lists, route))
  const known = listed.filter((rates) => rates !== undefined)
  const [first, ...others] = known
  if (first === undefined) return { kind: 'same' }
  const found = kept(others.reduce(higherRates, first), current)
  const mayFall = known.length === listed.length && !isAnnounced(record, current)
  const least = mayFall ? ceilingOf(record, now)?.rates : current.rates
  const rates = least === undefined ? found : higherRates(found, least)
  if (isSame(rates, (pendingFall(record, now) ?? current).rates)) return { kind: 'same' }
  const reason = implausible(rates, current.rates)
  if (reason !== undefined) return { kind: 'refused', rates, reason }
  const { effectiveFrom: _from, ...price } = current
  return {
    kind: 'changed',
    price: {
      ...price,
      basis: 'refresh',
      source: 'models.dev and OpenRouter, read at run time',
      rates,
      tiers: current.tiers.map((tier) => raisedTier(tier, rates)),
      ...(current.peak && { peak: raisedPeak(current.peak, rates) }),
    },
  }
}

/** The price in force without those that were read at run time, if it is a ceiling. */
function ceilingOf({ prices }: ChatRecord, now: number): ChatPriceRecord | undefined {
  const given = prices.findLast((price) => price.basis !== 'refresh' && startsAt(price) <= now)
  return given?.basis === 'ceiling' ? given : undefined
}

function isAnnounced({ prices }: ChatRecord, current: ChatPriceRecord): boolean {
  return prices.some((price) => price.announced && startsAt(price) >= startsAt(current))
}

/** A decrease that was read earlier and is still in its grace period. */
function pendingFall({ prices }: ChatRecord, now: number): ChatPriceRecord | undefined {
  return prices.find((price) => price.basis === 'refresh' && startsAt(price) > now)
}

function listedAt(
  lists: readonly PriceList[],
  route: ChatRecord['routes'][number],
): RateText | undefined {
  const found = lists.map((list) => list(route)).filter((rates) => rates !== undefined)
  const [first, ...others] = found
  return first && others.reduce(higherRates, first)
}

/** Feeds do not list tiers: existing tiers stay, at no less than the new base rates. */
function raisedTier({ fromInputTokens, rates }: TierText, base: RateText): TierText {
  return { fromInputTokens, rates: higherRates(rates, base) }
}

/** Nor do they list peak hours. */
function raisedPeak({ rates, tiers, windows }: PeakText, base: RateText): PeakText {
  return {
    rates: higherRates(rates, base),
    tiers: tiers.map((tier) => raisedTier(tier, base)),
    windows,
  }
}

/** A cache write that the current price lacks is charged only on request, so it is left out. */
function kept({ cacheWrite, ...rates }: RateText, { rates: current }: ChatPriceRecord): RateText {
  return cacheWrite !== undefined && current.cacheWrite !== undefined
    ? { ...rates, cacheWrite }
    : rates
}

/** Whether two sets of rates are equal amounts. */
export function isSame(a: RateText, b: RateText): boolean {
  return (
    parseUsd(a.input) === parseUsd(b.input) &&
    parseUsd(a.output) === parseUsd(b.output) &&
    parseUsd(a.cacheRead ?? a.input) === parseUsd(b.cacheRead ?? b.input) &&
    parseUsd(a.cacheWrite ?? a.input) === parseUsd(b.cacheWrite ?? b.input)
  )
}

function implausible(rates: RateText, current: RateText): string | undefined {
  if (!ratesSchema.safeParse(rates).success)
    return 'the rates are not plausible as USD per 1,000,000 tokens'
  const jump = (['input', 'output', 'cacheWrite'] as const).find(
    (kind) => !isWithin(rateOf(rates, kind), rateOf(current, kind)),
  )
  return jump && `${jump} changes by more than a factor of ${maxRatio}: use an override`
}

function rateOf(rates: RateText, kind: 'input' | 'output' | 'cacheWrite'): Usd {
  return parseUsd(rates[kind] ?? rates.input)
}

function isWithin(rate: Usd, current: Usd): boolean {
  return rate <= current * maxRatio && current <= rate * maxRatio
}
