import type { RequestHandler } from 'express'

type Json = Readonly<Record<string, unknown>>

const chatMessages = [{ role: 'user', content: 'What is a fare box?' }]

/** An example body of each paid path, with the fields that it requires. */
const examples: Readonly<Record<string, { readonly body: Json; readonly required: string[] }>> = {
  '/v1/chat/completions': {
    body: { model: 'openai/gpt-4.1-mini', messages: chatMessages, max_tokens: 500 },
    required: ['messages'],
  },
  '/v1/responses': {
    body: { model: 'openai/gpt-4.1-mini', input: 'What is a fare box?', max_output_tokens: 500 },
    required: ['input'],
  },
  '/v1/messages': {
    body: { model: 'openai/gpt-4.1-mini', messages: chatMessages, max_tokens: 500 },
    required: ['messages', 'max_tokens'],
  },
  '/v1/images/generate': {
    body: { prompt: 'A brass fare box on a tram', width: 1024, height: 1024 },
    required: ['prompt'],
  },
  '/v1/images/generations': {
    body: { prompt: 'A brass fare box on a tram', size: '1024x1024' },
    required: ['prompt'],
  },
}

/**
 * What a 402 tells the x402 Bazaar about its path: an example request, and a schema that the
 * example matches. It is small, since it goes into a header; `/openapi.json` has the whole schema.
 */
export function discoveryExtensions(path: string): Json | undefined {
  return extensions.get(path)
}

const extensions: ReadonlyMap<string, Json> = new Map(
  Object.entries(examples).map(([path, { body, required }]) => {
    const input = { type: 'http', method: 'POST', bodyType: 'json', body }
    const schema = {
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: {
            type: { const: 'http' },
            method: { enum: ['POST'] },
            bodyType: { const: 'json' },
            body: { type: 'object', required },
          },
          required: ['type', 'method', 'bodyType', 'body'],
        },
      },
      required: ['input'],
    }
    return [path, { bazaar: { info: { input }, schema } }]
  }),
)

/** `GET /.well-known/x402`: the paid paths, for registries. */
export function wellKnownX402(publicUrl: string): RequestHandler {
  const body = {
    version: 1,
    resources: Object.keys(examples).map((path) => publicUrl + path),
    instructions: `POST a request without a payment for its price. The interface: ${publicUrl}/openapi.json. For agents: ${publicUrl}/llms.txt.`,
  }
  return function handleWellKnownX402(_, response) {
    response.json(body)
  }
}
