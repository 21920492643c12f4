import { z } from 'zod'
import { chatChunkSchema, chatCompletionSchema } from './chat/chat-completion.ts'
import { chatRequestSchema } from './chat/chat-request.ts'
import {
  errorCodes,
  errorSchema,
  imageErrorSchema,
  paymentRequiredSchema,
  rateLimitErrorSchema,
} from './errors.ts'
import { chatEstimateSchema, imageEstimateSchema } from './estimate.ts'
import { healthSchema, networkHealthSchema, readinessSchema } from './health.ts'
import {
  imageEstimateRequestSchema,
  imageRequestSchema,
  imageResultSchema,
} from './image-request.ts'
import { chatModelListSchema, imageModelListSchema, modelObjectSchema } from './model-list.ts'
import { paymentSchema } from './payment.ts'

type Json = Readonly<Record<string, unknown>>

/** `endpoints`: the estimator has only the free ones. */
export type OpenApiOptions = {
  readonly serverUrl: string
  readonly version: string
  readonly endpoints: 'all' | 'free'
}

/** The OpenAPI 3.1 document of the service, generated from the schemas that validate requests. */
export function openApiDocument(options: OpenApiOptions): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox',
      version: options.version,
      description:
        'AI calls sold one at a time: send a request, get the maximum price in a 402, pay it in USDC with x402, receive the response, and get the overpayment refunded on chain.',
    },
    servers: [{ url: options.serverUrl }],
    paths: options.endpoints === 'all' ? { ...paidPaths(), ...freePaths() } : freePaths(),
    'x-error-codes': errorCodes,
  }
}

function freePaths(): Json {
  return {
    '/v1/estimate': post('The maximum cost of a chat request', chatRequestSchema, {
      ...answers(chatEstimateSchema),
      ...chatErrors,
    }),
    '/v1/images/estimate': post(
      'The maximum cost of an image request',
      imageEstimateRequestSchema,
      {
        ...answers(imageEstimateSchema),
        ...imageErrors,
      },
    ),
    '/v1/models': get('The available chat models', chatModelListSchema),
    '/v1/models/{id}': getById('A chat model', modelObjectSchema),
    '/v1/responses/input_tokens': post('The input tokens of a Responses request', openObject, {
      ...answers(z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() })),
      ...chatErrors,
    }),
    '/v1/messages/count_tokens': post('The input tokens of a Messages request', openObject, {
      ...answers(z.object({ input_tokens: z.int() })),
      ...chatErrors,
    }),
    '/v1/images/models': get('The available image models', imageModelListSchema),
    '/v1/health': get('The health of the service', healthSchema),
    '/health': get(
      'The health of the service, and the network of its payments',
      networkHealthSchema,
    ),
    '/ready': get('Whether the service takes requests now; 503 if it does not', readinessSchema),
  }
}

function paidPaths(): Json {
  return {
    '/v1/chat/completions': post('A paid chat completion', chatRequestSchema, {
      200: {
        description: 'The completion; with stream: true, a text event stream of chunks',
        headers: paidHeaders,
        content: {
          ...json(chatCompletionSchema),
          'text/event-stream': { schema: jsonSchema(chatChunkSchema, 'output') },
        },
      },
      ...paymentRequired,
      ...chatErrors,
    }),
    '/v1/responses': post('A paid response, in the shape of OpenAI Responses', openObject, {
      200: paidAnswer('The response; with stream: true, its typed events'),
      ...paymentRequired,
      ...chatErrors,
    }),
    '/v1/messages': post('A paid message, in the shape of Anthropic Messages', openObject, {
      200: paidAnswer('The message; with stream: true, its typed events'),
      ...paymentRequired,
      ...chatErrors,
    }),
    '/v1/images/generations': post('Paid images, in the shape of OpenAI', openObject, {
      200: paidAnswer('The images'),
      ...paymentRequired,
      ...chatErrors,
    }),
    '/v1/images/generate': post('Paid images', imageRequestSchema, {
      200: { description: 'The images', headers: paidHeaders, content: json(imageResultSchema) },
      ...paymentRequired,
      ...imageErrors,
    }),
    '/v1/payments/{id}': getById('The state of a payment', paymentSchema),
  }
}

function post(summary: string, body: z.ZodType, responses: Json): Json {
  const content = { 'application/json': { schema: jsonSchema(body, 'input') } }
  return { post: { summary, requestBody: { required: true, content }, responses } }
}

function get(summary: string, body: z.ZodType): Json {
  return { get: { summary, responses: { ...answers(body), ...limited } } }
}

/** The interfaces of other vendors are documented by them. */
const openObject = z.looseObject({})

function paidAnswer(description: string): Json {
  return { description, headers: paidHeaders, content: json(openObject) }
}

function getById(summary: string, body: z.ZodType): Json {
  return {
    get: {
      summary,
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { ...answers(body), 404: answer('Not found', errorSchema), ...limited },
    },
  }
}

function answers(body: z.ZodType): Json {
  return { 200: answer('OK', body) }
}

function answer(description: string, body: z.ZodType): Json {
  return { description, content: json(body) }
}

function json(body: z.ZodType): Json {
  return { 'application/json': { schema: jsonSchema(body, 'output') } }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

const limited: Json = { 429: answer('Too many requests in 60 seconds', rateLimitErrorSchema) }

const chatErrors: Json = {
  400: answer('The request is invalid; no money moved', errorSchema),
  408: answer('The request did not arrive in time; no money moved', errorSchema),
  ...limited,
  500: answer('The service failed; anything paid is refunded', errorSchema),
  503: answer('A dependency is down, or the payment is in flight', errorSchema),
}

const imageErrors: Json = {
  400: answer('The request is invalid; no money moved', imageErrorSchema),
  408: answer('The request did not arrive in time; no money moved', imageErrorSchema),
  ...limited,
  500: answer('The service failed; anything paid is refunded', imageErrorSchema),
  503: answer('A dependency is down, or the payment is in flight', imageErrorSchema),
}

const paymentRequired: Json = {
  402: {
    description:
      'The price. Pay with PAYMENT-SIGNATURE (x402 v2, from the PAYMENT-REQUIRED header) or X-PAYMENT (v1, from the body)',
    headers: { 'PAYMENT-REQUIRED': { schema: { type: 'string' } } },
    content: json(paymentRequiredSchema),
  },
}

const paidHeaders: Json = {
  'X-Payment-Id': { schema: { type: 'string' } },
  'PAYMENT-RESPONSE': { schema: { type: 'string' }, description: 'The receipt, x402 v2' },
  'X-PAYMENT-RESPONSE': { schema: { type: 'string' }, description: 'The receipt, x402 v1' },
}
