import type * as ai from 'ai'
import {
  type Conversation,
  model,
  questions,
  result,
  type Setting,
  weather,
} from './conversation.ts'

/** What both major releases of the AI SDK have. */
export type AiSdk = Pick<typeof ai, 'generateText' | 'streamText' | 'jsonSchema' | 'tool'> & {
  readonly stopAfter: typeof ai.isStepCount
}

type Options = NonNullable<Parameters<typeof ai.generateText>[0]['providerOptions']>

/** A model of the AI SDK over a provider, with its options if it demands some. */
export type AiModel = (setting: Setting) => {
  readonly model: ai.LanguageModel
  readonly providerOptions?: Options
}

/** The SDK calls the tool and asks again by itself. */
export function aiConversation(sdk: AiSdk, open: AiModel): Conversation {
  return async (setting) => {
    const places: unknown[] = []
    const answers: string[] = []
    const messages: ai.ModelMessage[] = []
    const look = sdk.tool({
      description: weather.description,
      inputSchema: sdk.jsonSchema<{ place: string }>({
        ...weather.parameters,
        required: ['place'],
      }),
      execute: ({ place }) => {
        places.push(place)
        return result
      },
    })
    for (const content of questions) {
      messages.push({ role: 'user', content })
      const given = { tools: { [weather.name]: look }, stopWhen: sdk.stopAfter(3), maxRetries: 0 }
      const call = { ...open(setting), messages, maxOutputTokens: 200, ...given }
      if (setting.streamed) {
        const stream = sdk.streamText({ ...call, onError: ({ error }) => Promise.reject(error) })
        answers.push(await stream.text)
        messages.push(...messagesOf(await stream.steps))
      } else {
        const { text, steps } = await sdk.generateText(call)
        answers.push(text)
        messages.push(...messagesOf(steps))
      }
    }
    return { places, answers }
  }
}

type Step = { readonly response: { readonly messages: readonly ai.ModelMessage[] } }

/** The last step has the messages of those before it as well. */
function messagesOf(steps: readonly Step[]): readonly ai.ModelMessage[] {
  return steps.at(-1)?.response.messages ?? []
}

type Provider = (id: string) => ai.LanguageModel

/** The options that every provider of the SDK takes. */
type ProviderOptions = {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof fetch
}

/** A model of a provider that is made from its address, a key and a fetch. */
export function aiModel(
  create: (options: ProviderOptions) => Provider,
  providerOptions?: Options,
  id: string = model,
): AiModel {
  return ({ url, fetch }) => ({
    model: create({ baseURL: `${url}/v1`, apiKey: 'none', fetch })(id),
    ...(providerOptions !== undefined && { providerOptions }),
  })
}
