import { picodollars } from '@farebox/money'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blendedRate, listedRate } from '../src/index.ts'

const perToken = (count: number): ReturnType<typeof picodollars> => picodollars(BigInt(count))

test.each([
  [300_000, 0, '0.0003'],
  [79_605, 0, '0.000079605'],
  [10_000_000, 0, '0.01'],
  [1, 0, '0.000000001'],
  [300_000, 250, '0.0003075'],
  [1, 1, '0.0000000010001'],
])('%s picodollars a token at %s basis points', (rate, markup, expected) => {
  expect(listedRate(perToken(rate), markup)).toBe(expected)
})

test('the blended rate is the exact mean', () => {
  expect(blendedRate({ input: perToken(300_000), output: perToken(1_200_000) }, 0)).toBe('0.00075')
  expect(blendedRate({ input: perToken(1), output: perToken(2) }, 0)).toBe('0.0000000015')
  const rate = fc.integer({ min: 1, max: 1_000_000_000 })
  fc.assert(
    fc.property(rate, rate, fc.integer({ min: 0, max: 5_000 }), (input, output, markup) => {
      const blended = scaled(
        blendedRate({ input: perToken(input), output: perToken(output) }, markup),
      )
      const sum =
        scaled(listedRate(perToken(input), markup)) + scaled(listedRate(perToken(output), markup))
      expect(blended * 2n).toBe(sum)
    }),
  )
})

/** Decimal text as a whole number of 10^-20. */
function scaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(20, '0'))
}
