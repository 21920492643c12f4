import { type ChatRequestSchema, chatRequestSchema } from '../chat/chat-request.ts'
import { errorCodes } from '../errors.ts'
import { errorStatuses } from './error-statuses.ts'
import { freePaths } from './free-paths.ts'
import { guide } from './guide.ts'
import { type Json, tags } from './operations.ts'
import { paidPaths } from './paid-paths.ts'

/** `endpoints`: the estimator has only the free ones. */
export type OpenApiOptions = {
  readonly serverUrl: string
  readonly version: string
  readonly endpoints: 'all' | 'free'
  /** The accepted chat requests; those of the specification if omitted. */
  readonly chatRequests?: ChatRequestSchema | undefined
}

/** The OpenAPI 3.1 document of the service, generated from the schemas that validate requests. */
export function openApiDocument(options: OpenApiOptions): Json {
  const { serverUrl, version, endpoints, chatRequests = chatRequestSchema } = options
  const free = freePaths(serverUrl, chatRequests)
  return {
    openapi: '3.1.0',
    info: { title: 'Farebox', version, description: guide(endpoints) },
    servers: [{ url: serverUrl }],
    tags: endpoints === 'all' ? tags : tags.filter(({ name }) => name === 'Free'),
    paths: endpoints === 'all' ? { ...paidPaths(serverUrl, chatRequests), ...free } : free,
    'x-error-codes': errorCodes,
    'x-error-statuses': errorStatuses,
  }
}
