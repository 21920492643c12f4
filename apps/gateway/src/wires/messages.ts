import { messagesWire } from '@farebox/wires'
import type { PaidEndpoint } from '../paid/paid-endpoint.ts'
import { type WireEndpoint, wireCompletions } from './wire-completions.ts'

/** `POST /v1/messages`. */
export function messages<Sale, Delivery>(
  chat: PaidEndpoint<Sale, Delivery>,
  defaultModel: () => string,
): WireEndpoint<Sale, Delivery> {
  return wireCompletions({
    path: '/v1/messages',
    description: 'A message of a chat model. The maximum is paid up front, the rest refunded.',
    requiredField: 'messages',
    wire: messagesWire,
    chat,
    example: () => ({
      model: defaultModel(),
      max_tokens: 4096,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  })
}
