/**
 * Computes prices independently of `src`: in dollars, as fractions of two bigints, from the rules in
 * the README. Slow, but simple.
 */
import type { ChatPrice, ImagePrice, Terms, TokenRates, Usage } from '../../src/index.ts'

type Fraction = readonly [numerator: bigint, denominator: bigint]

const picodollarsInADollar = 10n ** 12n
const unitsInADollar = 10n ** 6n
const zero: Fraction = [0n, 1n]

const dollars = (picodollars: bigint): Fraction => [picodollars, picodollarsInADollar]
const whole = (count: number): Fraction => [BigInt(count), 1n]
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
const minus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d - c * b, b * d]
const by = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
const over = (a: Fraction, [c, d]: Fraction): Fraction => by(a, [d, c])
const isLess = ([a, b]: Fraction, [c, d]: Fraction): boolean => a * d < c * b
const larger = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? b : a)
const smaller = (a: Fraction, b: Fraction): Fraction => (isLess(a, b) ? a : b)
const hundredths = (bps: number): Fraction => [10_000n + BigInt(bps), 10_000n]

/** The smallest number of atomic units worth at least this many dollars. */
function unitsUp(amount: Fraction): bigint {
  const [numerator, denominator] = by(amount, [unitsInADollar, 1n])
  const floor = numerator / denominator
  return floor * denominator === numerator ? floor : floor + 1n
}

/** The rates at one input size, searched from the highest tier down. */
function ratesOf(price: Pick<ChatPrice, 'rates' | 'tiers'>, input: number): TokenRates {
  for (const tier of [...price.tiers].reverse()) {
    if (tier.fromInputTokens <= input) return tier.rates
  }
  return price.rates
}

/** Every set of rates that can apply to an input of 0 to `bound` tokens, at any hour. */
function reachableRates(price: ChatPrice, bound: number): readonly TokenRates[] {
  const lists = price.peak ? [price, price.peak] : [price]
  return lists.flatMap((list) => {
    const sizes = [0, bound, ...list.tiers.map((tier) => tier.fromInputTokens)]
    return sizes.filter((size) => size <= bound).map((size) => ratesOf(list, size))
  })
}

function highest(rates: readonly bigint[]): Fraction {
  return rates.map(dollars).reduce(larger, zero)
}

type ChatAsked = {
  readonly price: ChatPrice
  readonly terms: Terms
  readonly inputTokens: number
  readonly likelyInputTokens: number
  readonly maxOutputTokens: number
  readonly choices: number
}

export function oracleChatMaximum(asked: ChatAsked): bigint {
  const { price, terms, inputTokens, maxOutputTokens, choices } = asked
  const rates = reachableRates(price, inputTokens)
  const inputRate = highest(
    rates.flatMap(({ input, cacheRead, cacheWrite }) => [
      input,
      cacheRead ?? input,
      cacheWrite ?? input,
    ]),
  )
  const outputRate = highest(rates.map(({ output }) => output))
  const output = (maxOutputTokens + (price.outputAllowanceTokens ?? 0)) * choices
  const upstream = [
    by(inputRate, whole(inputTokens)),
    by(outputRate, whole(output)),
    dollars(price.perRequest ?? 0n),
  ].reduce(plus)
  return sold(by(by(upstream, hundredths(terms.bufferBps)), hundredths(terms.markupBps)), terms)
}

export function oracleChatLikely(asked: ChatAsked): bigint {
  const { price, terms, maxOutputTokens, choices } = asked
  const input = Math.min(asked.likelyInputTokens, asked.inputTokens)
  const rates = ratesOf(price, input)
  const upstream = [
    by(dollars(rates.input), whole(input)),
    by(dollars(rates.output), whole(maxOutputTokens * choices)),
    dollars(price.perRequest ?? 0n),
  ].reduce(plus)
  return sold(by(upstream, hundredths(terms.markupBps)), terms)
}

export function oracleChatCost(asked: ChatAsked, usage: Usage): bigint {
  const upstream =
    usage.reportedCost && usage.reportedCost > 0n
      ? dollars(usage.reportedCost)
      : usageCost(asked.price, usage)
  const cost = sold(by(upstream, hundredths(asked.terms.markupBps)), asked.terms)
  const paid = oracleChatMaximum(asked)
  return [cost, paid].toSorted(ascending).at(0) ?? paid
}

function usageCost(price: ChatPrice, usage: Usage): Fraction {
  const { peak } = price
  const table = peak && meetsPeak(peak.windows, usage.served) ? peak : price
  const { input, output, cacheRead, cacheWrite } = ratesOf(table, usage.inputTokens)
  const fresh = usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens
  return [
    by(dollars(input), whole(fresh)),
    by(dollars(cacheRead ?? input), whole(usage.cacheReadTokens)),
    by(dollars(cacheWrite ?? input), whole(usage.cacheWriteTokens)),
    by(dollars(output), whole(usage.outputTokens)),
    dollars(price.perRequest ?? 0n),
  ].reduce(plus)
}

/** Checks every minute of the call with the calendar of `Date`. */
function meetsPeak(
  windows: NonNullable<ChatPrice['peak']>['windows'],
  served: Usage['served'],
): boolean {
  if (served === undefined || windows.length === 0) return true
  const minute = 60_000
  for (let at = Math.floor(served.from / minute) * minute; at <= served.to; at += minute) {
    const date = new Date(at)
    const ofDay = date.getUTCHours() * 60 + date.getUTCMinutes()
    const isIn = windows.some(
      ({ days, fromMinute, toMinute }) =>
        days.includes(date.getUTCDay()) && ofDay >= fromMinute && ofDay < toMinute,
    )
    if (isIn) return true
  }
  return false
}

type ImageAsked = {
  readonly price: ImagePrice
  readonly terms: Terms
  readonly width: number
  readonly height: number
  readonly numberOfImages: number
  readonly steps?: number
}

export function oracleImageMaximum(asked: ImageAsked): bigint {
  const { price, terms, numberOfImages } = asked
  const margin: Fraction =
    price.rule.kind === 'compute' ? [BigInt(price.rule.marginBps), 10_000n] : [1n, 1n]
  const one = plus(by(oneImage(asked), margin), dollars(price.besidesPerImage ?? 0n))
  const all = by(one, whole(numberOfImages))
  return sold(by(by(all, hundredths(terms.bufferBps)), hundredths(terms.markupBps)), terms)
}

export function oracleImageCost(
  asked: ImageAsked,
  made: { readonly images: number; readonly reportedCost?: bigint },
): bigint {
  const images = Math.min(made.images, asked.numberOfImages)
  if (images === 0) return 0n
  const upstream = made.reportedCost
    ? dollars(made.reportedCost)
    : by(oneImage(asked), whole(images))
  const cost = sold(by(upstream, hundredths(asked.terms.markupBps)), asked.terms)
  const paid = oracleImageMaximum(asked)
  const share = (paid * BigInt(images)) / BigInt(asked.numberOfImages)
  const { minimumCharge } = asked.terms
  const least = [minimumCharge, paid].toSorted(ascending).at(0) ?? paid
  const most = [share, least].toSorted(ascending).at(1) ?? share
  return [cost, most].toSorted(ascending).at(0) ?? most
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b)
}

function oneImage({ price: { rule }, width, height, steps }: ImageAsked): Fraction {
  const pixels = whole(width * height)
  switch (rule.kind) {
    case 'flat':
      return dollars(rule.perImage)
    case 'listed': {
      const point = rule.points.find((each) => each.width === width && each.height === height)
      return dollars(point?.price ?? 0n)
    }
    case 'megapixel': {
      let price = dollars(rule.base)
      for (let left = width * height - rule.includedPixels; left > 0; left -= 1_000_000) {
        price = plus(price, dollars(rule.perExtraMegapixel))
      }
      return price
    }
    case 'compute': {
      const [first] = rule.points
      let price = dollars(first?.price ?? 0n)
      for (const [index, upper] of rule.points.entries()) {
        const lower = rule.points[index - 1]
        if (lower === undefined) continue
        const start = whole(lower.width * lower.height)
        const slope = over(
          minus(dollars(upper.price), dollars(lower.price)),
          minus(whole(upper.width * upper.height), start),
        )
        const top = smaller(pixels, whole(upper.width * upper.height))
        if (isLess(start, pixels)) price = plus(price, by(slope, minus(top, start)))
      }
      const ofSteps: Fraction =
        rule.referenceSteps === undefined || steps === undefined
          ? [1n, 1n]
          : larger([BigInt(steps), BigInt(rule.referenceSteps)], [15n, 100n])
      return by(price, ofSteps)
    }
  }
}

function sold(amount: Fraction, { minimumCharge }: Terms): bigint {
  const units = unitsUp(amount)
  return units < minimumCharge ? minimumCharge : units
}
