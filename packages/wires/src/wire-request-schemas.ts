import type { WireRequestSchemas } from '@farebox/api'
import { imageGenerationRequestSchema } from './images/image-generation-request.ts'
import { countTokensRequestSchema, messagesRequestSchema } from './messages/messages-request.ts'
import { responsesRequestSchema } from './responses/responses-request.ts'

/** The bodies that the wires read, for the OpenAPI document. */
export const wireRequestSchemas: WireRequestSchemas = {
  responses: responsesRequestSchema,
  messages: messagesRequestSchema,
  countTokens: countTokensRequestSchema,
  imageGenerations: imageGenerationRequestSchema,
}
