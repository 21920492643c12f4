import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  atomicUsdc,
  displayUsd,
  formatDecimal,
  formatUsd,
  formatUsdc,
  greatest,
  least,
  MoneyError,
  parseAtomicUsdc,
  parseDecimal,
  parseUsd,
  parseUsdc,
  picodollars,
  publicAmount,
  subtract,
  sum,
  times,
  toUsd,
  toUsdcCeil,
} from '../src/index.ts'

test.each([
  ['0', 0n],
  ['1', 1_000_000_000_000n],
  ['0.079605', 79_605_000_000n],
  ['0.000000000001', 1n],
])('parseUsd(%s)', (text, expected) => {
  expect(parseUsd(text)).toBe(expected)
  expect(formatUsd(parseUsd(text))).toBe(text)
})

test.each(['', '-1', '+1', '1e3', '.5', '5.', '1,000', ' 1', 'NaN', '0.0000000000001', '٣'])(
  'parseUsd rejects %j',
  (text) => {
    expect(() => parseUsd(text)).toThrow(MoneyError)
  },
)

test('USDC is formatted with all six decimals', () => {
  expect(formatUsdc(parseUsdc('0.001'))).toBe('0.001000')
  expect(formatUsdc(atomicUsdc(12_345_678n))).toBe('12.345678')
})

test.each(['', '-1', '1.5', '0x10', '1e3', '1'.repeat(79)])(
  'parseAtomicUsdc rejects %j',
  (text) => {
    expect(() => parseAtomicUsdc(text)).toThrow(/is not a valid amount: use atomic units/)
  },
)

test.each([
  [5n, 0, 0, '5'],
  [12_345n, 0, 0, '12345'],
  [-5n, 0, 2, '-5.00'],
  [0n, 0, 0, '0'],
  [5n, 1, 0, '0.5'],
])('formatDecimal(%s, %i, %i) is %s', (amount, decimals, shown, text) => {
  expect(formatDecimal(amount, decimals, shown)).toBe(text)
})

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 256, '6', undefined])(
  '%s is refused as a number of decimals',
  (decimals) => {
    const refused = /is not a valid "decimals": use a whole number from 0 to 255$/
    expect(() => Reflect.apply(formatDecimal, null, [5n, decimals])).toThrow(refused)
    expect(() => Reflect.apply(parseDecimal, null, ['5', decimals])).toThrow(refused)
    expect(() => Reflect.apply(formatDecimal, null, [5n, 6, decimals ?? null])).toThrow(
      /is not a valid "shown": use a whole number from 0 to 255$/,
    )
  },
)

test.each(['1', 1, null, undefined, {}])('%s is refused as an amount to format', (amount) => {
  for (const format of [formatUsd, formatUsdc, displayUsd]) {
    expect(() => Reflect.apply(format, null, [amount])).toThrow(MoneyError)
    expect(() => Reflect.apply(format, null, [amount])).toThrow(/use a bigint, such as 1000n$/)
  }
})

test.each(['1', 1, null, undefined, {}])(
  '%s is refused as an amount to calculate with',
  (amount) => {
    const one = atomicUsdc(1n)
    for (const calculate of [
      () => Reflect.apply(sum, null, [[one, amount]]),
      () => Reflect.apply(subtract, null, [one, amount]),
      () => Reflect.apply(subtract, null, [amount, one]),
      () => Reflect.apply(times, null, [amount, 2n]),
      () => Reflect.apply(least, null, [one, amount]),
      () => Reflect.apply(greatest, null, [amount, one]),
      () => Reflect.apply(toUsdcCeil, null, [amount]),
      () => Reflect.apply(toUsd, null, [amount]),
      () => Reflect.apply(publicAmount, null, [amount]),
    ]) {
      expect(calculate).toThrow(MoneyError)
      expect(calculate).toThrow(/ is not a valid amount: use a bigint, such as 1000n$/)
    }
  },
)

test('a count that is not a bigint is named, and so is a denominator that is not above 0', () => {
  expect(() => Reflect.apply(times, null, [atomicUsdc(1n), 3])).toThrow(
    'The number 3 is not a valid "count": use a bigint, such as 1000n',
  )
  for (const denominator of [0n, -1n, 2]) {
    expect(() => Reflect.apply(toUsdcCeil, null, [picodollars(1n), denominator])).toThrow(
      `"${denominator}" is not a valid "denominator": use a bigint above 0`,
    )
  }
})

/** What JavaScript may pass in place of text. */
const notText: readonly unknown[] = [
  5,
  0.1,
  1e21,
  ['1'],
  null,
  undefined,
  1n,
  { toString: () => '1' },
]

test.each(notText.map((value) => [typeof value, value]))(
  'a value of type %s is refused as an amount',
  (_, value) => {
    for (const parse of [parseUsd, parseUsdc, parseAtomicUsdc]) {
      expect(() => Reflect.apply(parse, null, [value])).toThrow(MoneyError)
    }
  },
)

test('rounding adds less than one unit, and nothing to an exact amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (pico) => {
      const rounded = toUsd(toUsdcCeil(picodollars(pico)))
      expect(rounded >= pico && rounded - pico < 1_000_000n).toBe(true)
      expect(toUsdcCeil(rounded)).toBe(toUsdcCeil(picodollars(pico)))
    }),
  )
})

test('the sum of no amounts is zero', () => {
  expect(sum([])).toBe(0n)
  expect(sum([atomicUsdc(2n), atomicUsdc(3n)])).toBe(5n)
})

test('formatting and parsing are inverse', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), (amount) => {
      expect(parseUsd(formatUsd(picodollars(amount)))).toBe(amount)
      expect(parseUsdc(formatUsdc(atomicUsdc(amount)))).toBe(amount)
    }),
  )
})

test('a fraction is rounded up once', () => {
  expect(toUsdcCeil(picodollars(10_000_000n), 3n)).toBe(4n)
  expect(toUsdcCeil(picodollars(9_000_000n), 3n)).toBe(3n)
  expect(toUsdcCeil(picodollars(0n), 7n)).toBe(0n)
})
