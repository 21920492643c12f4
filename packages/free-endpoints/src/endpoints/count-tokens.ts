import { setImmediate } from 'node:timers/promises'
import {
  type BodyBudget,
  bodyErrorResponse,
  clientSignal,
  type ErrorResponse,
  readJsonBody,
  sendError,
  type UnreadableBody,
} from '@farebox/http'
import { quoteChatRequest, type Storefront } from '@farebox/storefront'
import { translatedRequests, type Wire, withCallerNames } from '@farebox/wires'
import type { RequestHandler } from 'express'

export type CountTokensOptions = {
  readonly storefront: Storefront
  readonly budget: BodyBudget
  readonly wire: Wire
  /** The count as the clients of the wire read it. */
  readonly body: (inputTokens: number) => object
}

/** Counts the input tokens of a request in another vendor's interface, free of charge. */
export function countTokens({
  storefront,
  budget,
  wire,
  body,
}: CountTokensOptions): RequestHandler {
  return async function handleCountTokens(request, response) {
    const read = await readJsonBody(request, budget)
    if (read.status !== 'json') return sendError(response, unreadable(read, wire))
    const translated = wire.read(read.value)
    // 10,000 messages take some 30 milliseconds to translate, and as long to price.
    await setImmediate()
    const quoted =
      translated.status === 'refused'
        ? { status: 'rejected' as const, rejection: translated.problem }
        : await quoteChatRequest(translated.chat, storefront, {
            signal: clientSignal(response),
            ...translatedRequests,
          })
    if (quoted.status === 'rejected') {
      const failure = withCallerNames(
        { status: 400, ...quoted.rejection },
        translated.status === 'translated' ? translated.fieldName : (field) => field,
      )
      const { code } = failure
      const failed = wire.errorBody(failure)
      return sendError(response, { status: 400, headers: {}, code, body: failed })
    }
    response.json(body(quoted.sale.inputTokens))
  }
}

/** The error for a body that could not be read, in the shape of the wire. */
function unreadable(read: UnreadableBody, wire: Wire): ErrorResponse {
  const { status, headers, code, body } = bodyErrorResponse(read)
  const { message, param } = body.error
  return { status, headers, code, body: wire.errorBody({ status, code, message, param }) }
}
