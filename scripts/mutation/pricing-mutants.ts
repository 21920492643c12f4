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
    file: 'packages/pricing/src/chat/quote-chat.ts',
    search: 'return greatest(terms.minimumCharge, toUsdcCeil(marked, basisPoints))',
    replace: 'return toUsdcCeil(marked, basisPoints)',
    tests: pricing,
  },
  {
    name: 'the quote has no buffer',
    file: 'packages/pricing/src/chat/quote-chat.ts',
    search: 'withBasisPoints(withBasisPoints(upstream, terms.markupBps), terms.bufferBps)',
    replace: 'withBasisPoints(withBasisPoints(upstream, terms.markupBps), 0n as never)',
    tests: pricing,
  },
]
