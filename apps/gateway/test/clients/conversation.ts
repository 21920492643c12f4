/** Where a client finds the gateway, what it pays with, and how it asks for answers. */
export type Setting = {
  readonly url: string
  readonly fetch: typeof fetch
  readonly streamed: boolean
}

/** What the tool was called for, and what the model answered in the end. */
export type Outcome = { readonly places: readonly unknown[]; readonly answers: readonly string[] }

/**
 * Holds a conversation of four answers with a client: two questions, each of which makes the model
 * call the tool and answer from its result. Every answer is sent back as the client gave it.
 */
export type Conversation = (setting: Setting) => Promise<Outcome>

export const model = 'openai/gpt-5.5'

/** The sandbox calls the tool for its name, reasons, and writes at once. */
const pace = '[[sandbox: reasoning=4 tokens=40 first_token_ms=0 tokens_per_second=20000]]'

export const questions = [`What is the weather? ${pace}`, `And the weather here? ${pace}`] as const

export const weather = {
  name: 'get_weather',
  description: 'The temperature at a place.',
  parameters: {
    type: 'object',
    properties: { place: { type: 'string' } },
    required: ['place'],
    additionalProperties: false,
  },
} as const

export const result = '25 degrees'

/** The place in the JSON of a call. */
export function placeIn(args: string): unknown {
  return (JSON.parse(args) as { readonly place?: unknown }).place
}
