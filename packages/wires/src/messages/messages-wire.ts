import type { Wire } from '../wire/wire.ts'
import { messagesErrorBody } from './messages-error.ts'
import { readCountTokensRequest, readMessagesRequest } from './read-messages-request.ts'

/** Anthropic's Messages interface: `POST /v1/messages`. */
export const messagesWire: Wire = { read: readMessagesRequest, errorBody: messagesErrorBody }

/** The count of a Messages request: `POST /v1/messages/count_tokens`. Its answer is not translated. */
export const countTokensWire: Wire = { read: readCountTokensRequest, errorBody: messagesErrorBody }
