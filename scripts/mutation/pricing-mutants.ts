import type { NamedMutant } from './named-mutant.ts'

const pricing = ['packages/pricing/test/chat'] as const

export const pricingMutants: readonly NamedMutant[] = [
  {
    name: 'the output of one choice is quoted for all',
    file: 'packages/pricing/src/chat/quote-chat.ts',
    search: 'maxOutputTokens * choices',
    replace: 'maxOutputTokens',
    tests: pricing,
  },
  {
    name: 'the minimum charge is not charged',
    file: 'packages/pricing/src/terms/selling-price.ts',
    search: 'return greatest(minimumCharge, toUsdcCeil(numerator, denominator))',
    replace: 'return toUsdcCeil(numerator, denominator)',
    tests: pricing,
  },
  {
    name: 'the quote has no buffer',
    file: 'packages/pricing/src/terms/selling-price.ts',
    search: 'increased(increased(upstream, terms.markupBps), terms.bufferBps)',
    replace: 'increased(increased(upstream, terms.markupBps), 0)',
    tests: pricing,
  },
]
