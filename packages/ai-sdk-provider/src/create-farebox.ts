import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import { createFareboxClient, type FareboxClient, type FareboxClientOptions } from '@farebox/client'

/** Models of the AI SDK by id, and the client that pays for them. */
export type FareboxProvider = OpenAICompatibleProvider & {
  /** For estimates, payments, refunds and what was spent. */
  readonly client: FareboxClient
}

/**
 * Creates a provider of the AI SDK whose calls are paid one by one, within the caps of the options.
 * `farebox('openai/gpt-4.1-mini')` is a model for `generateText` and `streamText`.
 */
export function createFarebox(options: FareboxClientOptions): FareboxProvider {
  const client = createFareboxClient(options)
  const provider = createOpenAICompatible({
    name: 'farebox',
    baseURL: `${options.baseUrl.replace(/\/+$/, '')}/v1`,
    fetch: client.fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
  return Object.assign(provider, { client })
}
