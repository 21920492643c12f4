import * as z from 'zod'
import type { RateText } from '../chat/chat-record.ts'
import type { ProviderName } from '../chat/provider-name.ts'
import { positiveDecimal } from '../record/record-fields.ts'
import type { PriceFeed } from './feed.ts'

/** The providers by their names on models.dev. OpenRouter has its own feed. */
const names: Partial<Readonly<Record<ProviderName, string>>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
  xai: 'xai',
  deepseek: 'deepseek',
  mistral: 'mistral',
  groq: 'groq',
  together: 'togetherai',
  fireworks: 'fireworks-ai',
  cerebras: 'cerebras',
  moonshot: 'moonshotai',
}

const model = z.object({
  cost: z.object({
    input: z.number(),
    output: z.number(),
    cache_read: z.number().optional(),
    cache_write: z.number().optional(),
  }),
  limit: z.object({ context: z.number().positive() }),
})
const list = z.record(z.string(), z.object({ models: z.record(z.string(), z.unknown()) }))

/** models.dev: USD per 1,000,000 tokens as JSON numbers. */
export const modelsDevFeed: PriceFeed = {
  name: 'models.dev',
  url: 'https://models.dev/api.json',
  read: (json) => {
    const providers = list.parse(json)
    return ({ provider, model: id }) => {
      const name = names[provider]
      const models = name !== undefined && own(providers, name)?.models
      const { success, data } = model.safeParse(models ? own(models, id) : undefined)
      return success ? readRates(data.cost) : undefined
    }
  },
}

function own<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined
}

function readRates(cost: z.infer<typeof model>['cost']): RateText | undefined {
  const input = decimal(cost.input)
  const output = decimal(cost.output)
  if (input === undefined || output === undefined) return undefined
  const cacheRead = decimal(cost.cache_read)
  const cacheWrite = decimal(cost.cache_write)
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}

/** A number as decimal text. Zero, negative or exponential numbers are unknown. */
function decimal(value: number | undefined): string | undefined {
  const { success, data } = positiveDecimal.safeParse(String(value))
  return success ? data : undefined
}
