import { setImmediate } from 'node:timers/promises'
import { bodyErrorResponse, type ErrorResponse } from '@farebox/http'
import { type Wire, type WireReply, withCallerNames } from '@farebox/wires'
import { z } from 'zod'
import type { EndpointError, PaidEndpoint, Priced } from '../paid/paid-endpoint.ts'
import { requestDigest } from '../paid/quote/request-digest.ts'

export type WireCompletionsOptions<Sale, Delivery> = {
  readonly path: string
  readonly description: string
  /** The field that every request has, by its name in this interface. */
  readonly requiredField: string
  readonly wire: Wire
  /** The endpoint that sells the same request as a chat completion. */
  readonly chat: PaidEndpoint<Sale, Delivery>
  /** The simplest request, for requests for the price without a body. */
  readonly example: () => Readonly<Record<string, unknown>>
}

export type WireEndpoint<Sale, Delivery> = PaidEndpoint<WireSale<Sale>, Delivery>

type WireSale<Sale> = { readonly sale: Sale; readonly reply: WireReply }

/**
 * Sells chat completions in another vendor's interface: the same quote, the same call, the same
 * bill. Only the request and the bytes of the response are translated.
 */
export function wireCompletions<Sale, Delivery>({
  path,
  description,
  requiredField,
  wire,
  chat,
  example,
}: WireCompletionsOptions<Sale, Delivery>): WireEndpoint<Sale, Delivery> {
  return {
    path,
    description,
    mimeType: 'application/json',
    requiredField,
    quote: async (body, signal) => {
      if (body.status !== 'json' && body.status !== 'absent') {
        return refusedAs(wire, bodyErrorResponse(body))
      }
      const value = body.status === 'json' ? body.value : example()
      const read = wire.read(value)
      if (read.status === 'refused') {
        return { status: 'refused', error: wireError(wire, { status: 400, ...read.problem }) }
      }
      // 10,000 messages take some 30 milliseconds to translate, and twice that to price.
      await setImmediate()
      const priced = await chat.quote({ status: 'json', value: read.chat }, signal)
      if (priced.status === 'refused') return refusedAs(wire, priced.error, read.fieldName)
      const { sale, ...terms } = priced
      // Hashes the whole body, since the response may repeat fields that are not passed on.
      const digest = await requestDigest(path, { chat: priced.digest, body: value })
      return { ...terms, digest, sale: { sale, reply: read.reply } }
    },
    unavailable: ({ sale }) => chat.unavailable(sale),
    complete: ({ sale, reply }, call) => chat.complete(sale, { ...call, reply }),
    bill: ({ sale }, delivery) => chat.bill(sale, delivery),
    errorResponse: (error) => wireError(wire, error),
  }
}

function wireError(
  wire: Wire,
  error: Omit<EndpointError, 'code'> & { readonly code: string },
): ErrorResponse {
  const { status, headers = {}, code, message, param } = error
  return { status, headers, code, body: wire.errorBody({ status, code, message, param }) }
}

/** An error of the chat endpoint, with the caller's name of the field. */
function refusedAs(
  wire: Wire,
  { status, headers, body }: ErrorResponse,
  fieldName: (chatField: string) => string = (field) => field,
): Extract<Priced<never>, { readonly status: 'refused' }> {
  const failure = withCallerNames(chatErrorBody.parse(body).error, fieldName)
  return { status: 'refused', error: wireError(wire, { status, headers, ...failure }) }
}

const chatErrorBody = z.object({
  error: z.object({ code: z.string(), message: z.string(), param: z.string().nullable() }),
})
