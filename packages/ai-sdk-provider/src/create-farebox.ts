import { createOpenAICompatible, type OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'
import { createFareboxClient, type FareboxClient, type FareboxClientOptions } from '@farebox/client'

/** Models of the AI SDK by id, and the client that pays for them. */
export type FareboxProvider = OpenAICompatibleProvider & {
  /** The client that pays: estimates, payments, refunds and spending. */
  readonly client: FareboxClient
}

type ImageModel = ReturnType<OpenAICompatibleProvider['imageModel']>

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
  const { imageModel } = provider
  return Object.assign(provider, { client, imageModel: (id: string) => withBytes(imageModel(id)) })
}

/**
 * Requests the bytes of each image. The AI SDK would download a URL after the payment, and it
 * refuses URLs of this machine, such as those of a gateway in development.
 */
function withBytes(model: ImageModel): ImageModel {
  const generate = model.doGenerate.bind(model)
  const doGenerate: ImageModel['doGenerate'] = async ({ providerOptions, ...options }) => {
    const farebox = { response_format: 'b64_json', ...providerOptions['farebox'] }
    return await generate({ ...options, providerOptions: { ...providerOptions, farebox } })
  }
  return Object.assign(model, { doGenerate, maxImagesPerCall })
}

/** The AI SDK splits more images into several calls. */
const maxImagesPerCall = 4
