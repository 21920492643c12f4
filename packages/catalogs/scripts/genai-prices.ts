import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'

const amount = z.union([z.number(), z.object({ base: z.number() })]).optional()
const resultSchema = z
  .object({
    model_price: z.object({ input_mtok: amount, output_mtok: amount }),
  })
  .nullable()

/** Input and output in USD per 1,000,000 tokens, as decimal text. */
export type SourceRates = readonly [input: string, output: string]

/** The second source: a function from provider and model to its base rates, if it has them. */
export async function readGenaiPrices(
  folder: string,
  at: Date,
): Promise<(providerId: string, model: string) => SourceRates | undefined> {
  const { calcPrice } = z
    .object({
      calcPrice: z.custom<(...args: unknown[]) => unknown>((f) => typeof f === 'function'),
    })
    .parse(await import(pathToFileURL(join(folder, 'dist/index.js')).href))
  return (providerId, model) => {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const result = resultSchema.safeParse(calcPrice(usage, model, { providerId, timestamp: at }))
    if (!result.success || result.data === null) return undefined
    const { input_mtok: input, output_mtok: output } = result.data.model_price
    return input === undefined || output === undefined ? undefined : [text(input), text(output)]
  }
}

function text(value: number | { readonly base: number }): string {
  return String(typeof value === 'number' ? value : value.base)
}
