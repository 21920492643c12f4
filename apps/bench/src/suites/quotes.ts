import { createCatalog, defaultChatModels, shippedData } from '@farebox/catalogs'
import { parseUsdc } from '@farebox/money'
import { quoteChatRequest, type Storefront } from '@farebox/storefront'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { measure } from '../measure.ts'
import { printMeasurements } from '../report/table.ts'
import type { Suite } from '../suite.ts'

/** The cost of a quote: parse, validate, count, price. */
export const quotes: Suite = {
  name: 'quotes',
  question: 'CPU of one quote on a 2 KB chat: parse, validate, count, price',
  run: async ({ isQuick }) => {
    const counter = createTokenCounter({ cacheBytes: 0 })
    try {
      const storefront = createStorefront(counter)
      const bodies = Array.from({ length: 500 }, (_, i) => chatBody(i))
      let next = 0
      const quote = async (): Promise<void> => {
        const body: unknown = JSON.parse(bodies[next++ % bodies.length] ?? '')
        const { status } = await quoteChatRequest(body, storefront)
        if (status !== 'quoted') throw new Error('The request was rejected')
      }
      printMeasurements(
        await measure(
          [
            { name: 'farebox, nothing cached', run: quote },
            {
              name: 'JSON.parse alone',
              run: (): unknown => JSON.parse(bodies[next++ % bodies.length] ?? ''),
            },
          ],
          { rounds: isQuick ? 1 : 15, calls: 500 },
        ),
      )
      return undefined
    } finally {
      await counter.close()
    }
  },
}

function createStorefront(counter: Storefront['counter']): Storefront {
  const catalog = createCatalog({ ...shippedData, now: Date.now() })
  return {
    catalog: () => catalog,
    terms: { bufferBps: 1000, markupBps: 0, minimumCharge: parseUsdc('0.001') },
    counter,
    defaultChatModel: defaultChatModels[0],
    defaultImageModel: '',
    isSold: () => true,
    unsupportedField: () => undefined,
    quoteLifetimeMs: 300_000,
    now: Date.now,
  }
}

const words =
  'the gateway counts what a request may cost before anyone pays and returns what an answer did not use'.split(
    ' ',
  )

/** About 2 KB of English, different for each number. */
function chatBody(seed: number): string {
  const text = Array.from(
    { length: 330 },
    (_, i) => words[(i * 7 + seed * 13 + ((i * seed) % 5)) % words.length],
  ).join(' ')
  return JSON.stringify({
    messages: [
      { role: 'system', content: 'You answer in one sentence.' },
      { role: 'user', content: text },
    ],
    max_tokens: 256,
  })
}
