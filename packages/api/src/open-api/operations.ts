import { z } from 'zod'
import {
  errorSchema,
  imageErrorSchema,
  messagesErrorSchema,
  rateLimitErrorSchema,
} from '../errors.ts'
import type { CodeSample } from './code-samples.ts'
import { errorExample, imageErrorExample, messagesErrorExample } from './examples.ts'
import { describeFields } from './field-texts.ts'
import { joinNull } from './join-null.ts'
import { maxReplaySecretLength } from './max-replay-secret-length.ts'
import { nameVariant } from './name-variant.ts'
import type { WireRequestSchemas } from './wire-request-schemas.ts'

export type Json = Readonly<Record<string, unknown>>

/** The two groups that the reference shows. */
export const tags = [
  { name: 'Paid', description: 'Each request is paid for separately, with x402.' },
  {
    name: 'Free',
    description: 'Free, and without credentials. Requests count toward the rate limit.',
  },
] as const

type Tag = (typeof tags)[number]['name']

export type Operation = {
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly samples?: readonly CodeSample[]
  readonly responses: Json
}

type Body = {
  readonly schema: z.ZodType
  readonly example?: object
  readonly fields?: Readonly<Record<string, string>>
}

/** A POST with a JSON body. */
export function post(operation: Operation, { schema, example, fields = {} }: Body): Json {
  const described = describeFields(jsonSchema(schema, 'input'), fields)
  const content = { 'application/json': { schema: described, ...(example && { example }) } }
  const payment = operation.tag === 'Paid' ? payable : {}
  return { post: { ...head(operation), ...payment, requestBody: { required: true, content } } }
}

export function get(operation: Operation): Json {
  return { get: { ...head(operation), responses: { ...getErrors, ...operation.responses } } }
}

/** A GET with `{id}` in its path; `id` says what it names. */
export function getById(operation: Operation, id: string): Json {
  const parameter = { name: 'id', in: 'path', required: true, description: id, schema: text }
  const notFound = { 404: answer('Not found', errorSchema) }
  const responses = { ...getErrors, ...notFound, ...operation.responses }
  return { get: { ...head(operation), parameters: [parameter], responses } }
}

function head({ tag, summary, description, samples, responses }: Operation): Json {
  return {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(samples && { 'x-codeSamples': samples }),
    'x-paid': tag === 'Paid',
    responses,
  }
}

export function answer(description: string, body: z.ZodType, example?: object): Json {
  return { description, content: json(body, example) }
}

export function header(description: string): Json {
  return { schema: { type: 'string' }, description }
}

export function answers(body: z.ZodType, example?: object): Json {
  return { 200: answer('OK', body, example) }
}

export function json(body: z.ZodType, example?: object): Json {
  return { 'application/json': { schema: jsonSchema(body, 'output'), ...(example && { example }) } }
}

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const options = { io, unrepresentable: 'any', override: rewrite } as const
  const { $schema: _, ...rest } = z.toJSONSchema(schema, options)
  return rest
}

function rewrite(written: Parameters<typeof joinNull>[0]): void {
  joinNull(written)
  nameVariant(written)
}

/** The bodies that the paths accept. */
export type RequestSchemas = WireRequestSchemas & { readonly chat: z.ZodType }

/** The answers of other vendors' interfaces are documented by them. */
export const openObject: z.ZodType = z.looseObject({})

const text: Json = { type: 'string' }

const paymentParameters: readonly Json[] = [
  {
    name: 'PAYMENT-SIGNATURE',
    in: 'header',
    description: 'The payment of x402 version 2. Without it the response is a 402 with the price.',
    schema: text,
  },
  {
    name: 'X-PAYMENT',
    in: 'header',
    description: 'The payment of x402 version 1, instead of PAYMENT-SIGNATURE.',
    schema: text,
  },
  {
    name: 'X-Replay-Secret',
    in: 'header',
    description: `Any text of at most ${maxReplaySecretLength} characters. The stored answer is repeated only to a request with the same text.`,
    schema: { type: 'string', maxLength: maxReplaySecretLength },
  },
]

/** What a paid operation adds. Agents read `x-payment-info` (draft-payment-discovery-00). */
const payable: Json = {
  'x-payment-info': { price: { mode: 'dynamic', currency: 'USD' }, protocols: [{ x402: {} }] },
  parameters: paymentParameters,
}

/** A 429 is of the client address, or of the payer: on the Messages paths in the same shape. */
function limited(schema: z.ZodType): Json {
  const description = 'Too many requests in 60 seconds; this one moved no money'
  const body =
    schema === messagesErrorSchema
      ? answer(description, schema, messagesLimitExample)
      : answer(description, z.union([rateLimitErrorSchema, schema]), limitExample)
  return { 429: { ...body, headers: { 'Retry-After': header('Seconds until the next request') } } }
}

const limitExample = { error: 'Too many requests', code: 'RATE_LIMITED' }
const messagesLimitExample = {
  type: 'error',
  error: {
    type: 'rate_limit_error',
    message: 'Too many requests.',
    details: { error_code: 'RATE_LIMITED' },
  },
}

function notAllowed(schema: z.ZodType): Json {
  const headers = { Allow: header('The methods of this path') }
  return { 405: { ...answer('The path does not have the method', schema), headers } }
}

function failed(schema: z.ZodType): Json {
  const retryAfter = header('Seconds until the same request can be repeated; absent if it cannot')
  return {
    500: answer('The service failed; anything paid is refunded', schema),
    503: {
      ...answer('A dependency is down, or the payment is in flight', schema),
      headers: { 'Retry-After': retryAfter },
    },
  }
}

const getErrors: Json = {
  ...notAllowed(errorSchema),
  ...limited(errorSchema),
  ...failed(errorSchema),
}

function postErrors(schema: z.ZodType, example: object): Json {
  return {
    400: answer('The request is invalid; it moved no money', schema, example),
    408: answer('The request did not arrive in time; it moved no money', schema),
    ...limited(schema),
    ...failed(schema),
  }
}

export const chatErrors: Json = {
  ...postErrors(errorSchema, errorExample),
  ...notAllowed(errorSchema),
}

export const imageErrors: Json = {
  ...postErrors(imageErrorSchema, imageErrorExample),
  ...notAllowed(errorSchema),
}

export const messagesErrors: Json = {
  ...postErrors(messagesErrorSchema, messagesErrorExample),
  ...notAllowed(messagesErrorSchema),
}
