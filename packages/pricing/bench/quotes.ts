/**
 * CPU time of one quote, one bill and one explanation, without counting tokens.
 *
 * `node --conditions=farebox-source packages/pricing/bench/quotes.ts`
 */
import { atomicUsdc, picodollars } from '@farebox/money'
import {
  type ChatPrice,
  explainQuote,
  priceUsage,
  quoteChat,
  quoteImage,
  type Usage,
} from '../src/index.ts'

const rate = (picodollarsPerToken: number): ReturnType<typeof picodollars> =>
  picodollars(BigInt(picodollarsPerToken))
const terms = { bufferBps: 1_000, markupBps: 250, minimumCharge: atomicUsdc(1_000n) }

const price: ChatPrice = {
  version: 'bench',
  rates: { input: rate(5_000_000), output: rate(30_000_000), cacheRead: rate(500_000) },
  tiers: [
    {
      fromInputTokens: 272_000,
      rates: { input: rate(10_000_000), output: rate(45_000_000), cacheRead: rate(1_000_000) },
    },
  ],
}

const point = (
  edge: number,
  micro: number,
): { width: number; height: number; price: ReturnType<typeof picodollars> } => ({
  width: edge,
  height: edge,
  price: rate(micro * 1_000_000),
})

const request = { model: 'a/b', price, terms, maxOutputTokens: 4_096, choices: 1 }
const usage: Usage = {
  inputTokens: 500,
  outputTokens: 900,
  cacheReadTokens: 128,
  cacheWriteTokens: 0,
  reasoningTokens: 300,
  source: 'provider',
}

const image = {
  model: 'a/b',
  price: {
    version: 'bench',
    rule: {
      kind: 'compute' as const,
      points: [point(512, 1_300), point(1024, 3_200), point(2048, 14_100)],
      referenceSteps: 8,
      marginBps: 15_000,
    },
  },
  terms,
  height: 1_024,
  numberOfImages: 2,
  steps: 12,
}

const quote = quoteChat({ ...request, inputTokens: 500 })
const cases: Readonly<Record<string, (round: number) => unknown>> = {
  'quoteChat, two tiers': (round) => quoteChat({ ...request, inputTokens: round % 1_000 }),
  priceUsage: () => priceUsage(quote, usage),
  explainQuote: () => explainQuote(quote),
  'quoteImage, compute': (round) => quoteImage({ ...image, width: 128 + 64 * (round % 31) }),
}

const rounds = 200_000
for (const [name, run] of Object.entries(cases)) {
  for (let round = 0; round < 20_000; round++) run(round)
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) run(round)
  const { user, system } = process.cpuUsage(before)
  const micros = (user + system) / rounds
  const perSecond = Math.round(1_000_000 / micros).toLocaleString('en')
  process.stdout.write(`${name}: ${micros.toFixed(2)} µs of CPU, ${perSecond} a second\n`)
}
