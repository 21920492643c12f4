import { type ChatRequestSchema, chatRequestSchema } from '../chat/chat-request.ts'
import { errorCodes } from '../errors.ts'
import { errorStatuses } from './error-statuses.ts'
import { freePaths } from './free-paths.ts'
import { guide, paying } from './guide.ts'
import { type Json, openObject, tags } from './operations.ts'
import { paidPaths } from './paid-paths.ts'
import type { WireRequestSchemas } from './wire-request-schemas.ts'

const anyObjects: WireRequestSchemas = {
  responses: openObject,
  messages: openObject,
  countTokens: openObject,
  imageGenerations: openObject,
}

/** `endpoints`: the estimator has only the free ones. */
export type OpenApiOptions = {
  readonly serverUrl: string
  readonly version: string
  readonly endpoints: 'all' | 'free'
  /** The accepted chat requests; those of the specification if omitted. */
  readonly chatRequests?: ChatRequestSchema | undefined
  /** More of the introduction, as Markdown. */
  readonly appendix?: string
  /** Any objects if omitted. */
  readonly wireRequests?: WireRequestSchemas
}

/** The OpenAPI 3.1 document of the service, generated from the schemas that validate requests. */
export function openApiDocument(options: OpenApiOptions): Json {
  const { serverUrl, version, endpoints, appendix } = options
  const { chatRequests = chatRequestSchema, wireRequests = anyObjects } = options
  const requests = { chat: chatRequests, ...wireRequests }
  const text = guide(endpoints)
  const free = freePaths(serverUrl, requests)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox',
      version,
      description: appendix === undefined ? text : `${text}\n\n${appendix}`,
      ...(endpoints === 'all' && { 'x-guidance': paying }),
    },
    servers: [{ url: serverUrl }],
    tags: endpoints === 'all' ? tags : tags.filter(({ name }) => name === 'Free'),
    paths: endpoints === 'all' ? { ...paidPaths(serverUrl, requests), ...free } : free,
    'x-error-codes': errorCodes,
    'x-error-statuses': errorStatuses,
  }
}
