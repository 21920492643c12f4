import { parseDecimal, parseUsd, picodollars, type Usd } from '@farebox/money'
import type {
  ChatPrice,
  ImagePrice,
  ImagePricePoint,
  ImagePriceRule,
  RateTier,
  TokenRates,
} from '@farebox/pricing'
import type { ChatPriceRecord, RateText, TierText } from '../chat/chat-record.ts'
import type { ImagePointText, ImagePriceRecord, ImageRuleText } from '../image/image-record.ts'
import { fingerprint } from '../record/fingerprint.ts'

const finestDecimals = 12
const microPerPico = 1_000_000n

/**
 * Converts a rate in USD per 1,000,000 tokens to picodollars per token. Six decimals are exact; a
 * finer rate is rounded up, so that a quote is never below it.
 *
 * @throws {MoneyError} `invalid_amount` for anything but digits with at most 12 decimals.
 */
function parseRate(perMillion: string): Usd {
  const fine = parseDecimal(perMillion, finestDecimals)
  return picodollars((fine + microPerPico - 1n) / microPerPico)
}

/** A chat price in the form of the pricing package. */
export function readChatPrice(record: ChatPriceRecord): ChatPrice {
  const { rates, tiers, peak, perRequest, outputAllowanceTokens, markupBps } = record
  return {
    version: versionOf(record.effectiveFrom, {
      rates,
      tiers,
      peak,
      perRequest,
      outputAllowanceTokens,
      markupBps,
    }),
    rates: readRates(rates),
    tiers: readTiers(tiers),
    ...(peak && {
      peak: {
        rates: readRates(peak.rates),
        tiers: readTiers(peak.tiers),
        windows: peak.windows,
      },
    }),
    ...(perRequest !== undefined && { perRequest: parseUsd(perRequest) }),
    ...(outputAllowanceTokens !== undefined && { outputAllowanceTokens }),
    ...(markupBps !== undefined && { markupBps }),
  }
}

/** An image price in the form of the pricing package. */
export function readImagePrice(record: ImagePriceRecord): ImagePrice {
  const { rule, besidesPerImage, markupBps } = record
  return {
    version: versionOf(record.effectiveFrom, { rule, besidesPerImage, markupBps }),
    rule: readRule(rule),
    ...(besidesPerImage !== undefined && { besidesPerImage: parseUsd(besidesPerImage) }),
    ...(markupBps !== undefined && { markupBps }),
  }
}

/** The day and a fingerprint of the price: only equal prices have the same version. */
function versionOf(effectiveFrom: string, price: object): string {
  return `${effectiveFrom}.${fingerprint(JSON.stringify(price))}`
}

/** Rates in picodollars per token. */
export function readRates({ input, output, cacheRead, cacheWrite }: RateText): TokenRates {
  return {
    input: parseRate(input),
    output: parseRate(output),
    ...(cacheRead !== undefined && { cacheRead: parseRate(cacheRead) }),
    ...(cacheWrite !== undefined && { cacheWrite: parseRate(cacheWrite) }),
  }
}

function readTiers(tiers: readonly TierText[]): readonly RateTier[] {
  return tiers.map(({ fromInputTokens, rates }) => ({ fromInputTokens, rates: readRates(rates) }))
}

function readRule(rule: ImageRuleText): ImagePriceRule {
  switch (rule.kind) {
    case 'flat':
      return { kind: 'flat', perImage: parseUsd(rule.perImage) }
    case 'listed':
      return { kind: 'listed', points: rule.points.map(readPoint) }
    case 'megapixel':
      return {
        kind: 'megapixel',
        base: parseUsd(rule.base),
        includedPixels: rule.includedPixels,
        perExtraMegapixel: parseUsd(rule.perExtraMegapixel),
      }
    case 'compute':
      return { ...rule, points: rule.points.map(readPoint) }
  }
}

function readPoint([width, height, price]: ImagePointText): ImagePricePoint {
  return { width, height, price: parseUsd(price) }
}
