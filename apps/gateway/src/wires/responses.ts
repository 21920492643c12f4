import { responsesWire } from '@farebox/wires'
import type { PaidEndpoint } from '../paid/paid-endpoint.ts'
import { type WireEndpoint, wireCompletions } from './wire-completions.ts'

/** `POST /v1/responses`. */
export function responses<Sale, Delivery>(
  chat: PaidEndpoint<Sale, Delivery>,
): WireEndpoint<Sale, Delivery> {
  return wireCompletions({
    path: '/v1/responses',
    description: 'A response of a chat model. The maximum is paid up front, the rest refunded.',
    requiredField: 'input',
    wire: responsesWire,
    chat,
    example: () => ({ input: 'Hello' }),
  })
}
