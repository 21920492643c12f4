import { shippedCatalog } from '@farebox/catalogs'
import { parseUsd } from '@farebox/money'
import { createTokenCounter } from '@farebox/tokenizer/node'
import fc from 'fast-check'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { now, serveShipped } from './serve-shipped.ts'

const counter = createTokenCounter()
const server = serveShipped(counter).listen(0)
afterAll(async () => {
  server.close()
  await counter.close()
})
const { chat, images } = shippedCatalog(now)

type Explained = {
  readonly estimatedCost: { readonly usd: string }
  readonly explanation: readonly { readonly label: string; readonly amount_usd: string }[]
}

/** Picodollars of decimal text, so that nothing is lost on the way. */
function total({ explanation }: Explained): bigint {
  return explanation.reduce((sum, line) => sum + parseUsd(line.amount_usd), 0n)
}

function exact(amount: string): bigint {
  return parseUsd(amount)
}

test('the lines of any chat estimate add up to it, to the picodollar', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...chat),
      // Claude refuses a message of white space alone.
      fc.string({ maxLength: 400 }).map((text) => `a${text}`),
      fc.integer({ min: 1, max: 128_000 }),
      async (model, content, maxTokens) => {
        const { status, body } = await request(server)
          .post('/v1/estimate?explain=1')
          .send({
            model: model.id,
            messages: [{ role: 'user', content }],
            max_tokens: Math.min(maxTokens, model.maxOutputTokens, model.contextLength - 3_000),
          })
        expect(status).toBe(200)
        expect(total(body)).toBe(exact(body.estimatedCost.usd))
      },
    ),
    { numRuns: 150 },
  )
})

test.each(images)('the lines of an estimate of $id add up to it', async ({ id, steps }) => {
  for (const numberResults of [1, 3]) {
    const { status, body } = await request(server)
      .post('/v1/images/estimate?explain=1')
      .send({ model: id, numberResults, ...(steps && { steps: steps.max }) })
    expect(status).toBe(200)
    expect(total(body)).toBe(exact(body.estimatedCost.usd))
  }
})
