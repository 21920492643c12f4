import { atomicUsdc, parseUsd, picodollars } from '@farebox/money'
import { quoteChat, quoteImage } from '@farebox/pricing'
import { expect, test } from 'vitest'
import { createQuoting } from '../../../src/paid/quote/quoting.ts'

const terms = { bufferBps: 0, markupBps: 0, minimumCharge: atomicUsdc(1_000n) }
const withChannels = createQuoting(atomicUsdc(100n))
const withoutChannels = createQuoting(undefined)

/** At a dollar for a million tokens of output, and nothing for input, a token costs one unit. */
function chatOf(maxOutputTokens: number, choices = 1) {
  const output = picodollars(parseUsd('1') / 1_000_000n)
  const rates = { input: picodollars(0n), output }
  const price = { version: 'chat-1', rates, tiers: [] }
  return quoteChat({ model: 'a', price, terms, inputTokens: 10, maxOutputTokens, choices })
}

const image = quoteImage({
  model: 'b',
  price: { version: 'image-1', rule: { kind: 'flat', perImage: parseUsd('0.0003') } },
  terms,
  width: 512,
  height: 512,
  numberOfImages: 1,
})

test.each([
  ['a call below the minimum', chatOf(300), 1_000n, 300n],
  ['one with two choices below it', chatOf(150, 2), 1_000n, 300n],
  ['one below the minimum of channels', chatOf(30), 1_000n, 100n],
  ['one above both', chatOf(2_000), 2_000n, 2_000n],
  ['an image below the minimum', image, 1_000n, 300n],
])(
  '%s is offered at its price by both ways, and with fallbacks by one',
  (_, quote, amount, channelAmount) => {
    const { model } = quote
    const priceVersion = quote.price.version
    expect(withChannels.offersOf({ quotes: [quote] })).toEqual([
      { amount, channelAmount, model, priceVersion },
    ])
    const alone = [{ amount, model, priceVersion }]
    expect(withoutChannels.offersOf({ quotes: [quote] })).toEqual(alone)
    const withFallback = { quotes: [quote] as const, models: ['a', 'b'] }
    expect(withChannels.offersOf(withFallback)).toEqual(alone)
  },
)

test('a price above the minimum is offered as it was quoted', () => {
  const quote = { ...chatOf(2_000), maximum: atomicUsdc(2_345n) }
  expect(withChannels.offersOf({ quotes: [quote] })[0].channelAmount).toBe(2_345n)
})

test('a call is billed within what was paid, at the minimum of the way it was paid', () => {
  const quote = chatOf(2_000)
  const paid = (kind: 'sale' | 'channel_call', value: bigint) =>
    withChannels.withinPayment(quote, { kind, authorization: { value: atomicUsdc(value) } })
  expect(paid('sale', 1_500n)).toMatchObject({ maximum: 1_500n, terms: { minimumCharge: 1_000n } })
  expect(paid('channel_call', 2_500n)).toMatchObject({
    maximum: 2_000n,
    terms: { minimumCharge: 100n },
  })
})

test('the quote that was paid is billed, and the current one when its price is gone', () => {
  const earlier = { ...chatOf(300), price: { ...chatOf(300).price, version: 'chat-0' } }
  const payment = { kind: 'sale', authorization: { value: atomicUsdc(1_000n) } }
  const versionOf = (priceVersion: string) =>
    withoutChannels.paidQuote([chatOf(300), earlier], { ...payment, priceVersion } as never).price
      .version
  expect([versionOf('chat-0'), versionOf('chat-1'), versionOf('chat-9')]).toEqual([
    'chat-0',
    'chat-1',
    'chat-1',
  ])
})

test('the minimum of channels is shown where there are channels', () => {
  expect(withChannels.challengeOf(chatOf(300), {})['quote']).toMatchObject({
    minimum: { usdc: '1000' },
    channelMinimum: { usdc: '100' },
  })
  expect(withoutChannels.challengeOf(chatOf(300), {})['quote']).not.toHaveProperty('channelMinimum')
})
