import { formatDecimal, parseDecimal, parseUsd } from '@farebox/money'
import * as z from 'zod'
import type { RateText } from '../chat/chat-record.ts'
import type { PriceFeed } from './feed.ts'

const model = z.object({
  id: z.string(),
  context_length: z.number().positive(),
  pricing: z.object({
    prompt: z.string(),
    completion: z.string(),
    input_cache_read: z.string().optional(),
    input_cache_write: z.string().optional(),
  }),
})
const list = z.object({ data: z.array(z.unknown()).min(1) })

/** OpenRouter's models: USD per token as decimal text. */
export const openrouterFeed: PriceFeed = {
  name: 'openrouter',
  url: 'https://openrouter.ai/api/v1/models',
  read: (json) => {
    const rates = new Map(
      list.parse(json).data.flatMap((entry) => {
        const { success, data } = model.safeParse(entry)
        const read = success ? readRates(data.pricing) : undefined
        return success && read ? [[data.id, read] as const] : []
      }),
    )
    return ({ provider, model: id }) => (provider === 'openrouter' ? rates.get(id) : undefined)
  },
}

function readRates(pricing: z.infer<typeof model>['pricing']): RateText | undefined {
  const input = perMillion(pricing.prompt)
  const output = perMillion(pricing.completion)
  if (input === undefined || output === undefined) return undefined
  const cacheRead = perMillion(pricing.input_cache_read)
  if (cacheRead !== undefined && isCacheRate({ input, output, cacheRead })) return undefined
  const cacheWrite = perMillion(pricing.input_cache_write)
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}

/**
 * Whether the listed input rate is really the rate of cached input: barely above it, and at most a
 * twentieth of the output rate. One endpoint lists its prices like this; others charge more.
 */
function isCacheRate({
  input,
  output,
  cacheRead,
}: Required<Omit<RateText, 'cacheWrite'>>): boolean {
  return (
    parseUsd(input) * 4n <= parseUsd(cacheRead) * 5n && parseUsd(output) >= parseUsd(input) * 20n
  )
}

/** Moves the decimal point six places. Zero, negative or malformed rates are unknown. */
function perMillion(perToken: string | undefined): string | undefined {
  if (perToken === undefined || !/^\d{1,6}(\.\d{1,18})?$/.test(perToken)) return undefined
  const rate = parseDecimal(perToken, 18)
  return rate === 0n ? undefined : formatDecimal(rate, 12)
}
