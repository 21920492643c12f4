import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type FareboxClient, FareboxError } from '@farebox/client'
import { z } from 'zod'
import { withAdvice } from '../show/with-advice.ts'
import { readBody } from './read-body.ts'
import { sendWireError } from './wire-error.ts'

export type ForwardEvents = {
  /** A call was paid for; its response has ended. `undefined` if the gateway did not name the payment. */
  paid(paymentId: string | undefined): Promise<void>
  /** A call was not paid for, or failed here. */
  refused(code: string, message: string): void
}

/** Headers that concern one connection, this machine, or a payment of the caller's own. */
const ownHeaders = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'payment-signature',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-api-key',
  'x-payment',
])
const droppedHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

/** Forwards a request to the gateway, pays for it, and passes the response on as it arrives. */
export function forwardPaying(
  client: Pick<FareboxClient, 'fetch'>,
  events: ForwardEvents,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async function forward(request, response) {
    const refuse = (status: number, code: string, reason: string): void => {
      const message = withAdvice({ code, message: reason })
      events.refused(code, message)
      sendWireError(response, { status, code, message }, request)
    }
    if (!/^\/v1\//.test(request.url ?? '')) {
      return refuse(
        404,
        'not_found',
        `There is no ${request.url} here. Use a base URL that ends in /v1.`,
      )
    }
    const body = await readBody(request)
    if (body === 'too_large') {
      return refuse(
        413,
        'body_too_large',
        'The body is larger than 64 MB. Shorten its texts, or send fewer or smaller images.',
      )
    }
    const answer = await send(client, { request, response, body })
    if (answer instanceof FareboxError) return refuse(502, answer.code, answer.message)
    if (answer.status === 402) {
      const { code, message } = await refusalOf(answer)
      return refuse(402, code, message)
    }
    await passOn(answer, response, events)
  }
}

/** This proxy, not the gateway, decides which pages may read the answer. */
function isPassedOn(name: string): boolean {
  return !droppedHeaders.has(name) && !name.startsWith('access-control-')
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Uint8Array<ArrayBuffer>
}

async function send(
  client: Pick<FareboxClient, 'fetch'>,
  { request, response, body }: Exchange,
): Promise<Response | FareboxError> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  const { method = 'GET', url = '/' } = request
  const init = {
    method,
    headers: forwardedHeaders(request),
    signal: left.signal,
    // GET and HEAD requests have no body, and fetch rejects one.
    ...(body.length > 0 && !['GET', 'HEAD'].includes(method) && { body }),
  }
  try {
    return await client.fetch(url, init)
  } catch (error) {
    if (error instanceof FareboxError) return error
    throw error
  }
}

function forwardedHeaders({ headers }: IncomingMessage): Headers {
  const forwarded = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    const isOwn = ownHeaders.has(name) || name.startsWith('sec-')
    if (typeof value === 'string' && !isOwn) forwarded.set(name, value)
  }
  return forwarded
}

const refusalSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

async function refusalOf(answer: Response): Promise<{ code: string; message: string }> {
  return refusalSchema.parse(await answer.json()).error
}

async function passOn(
  answer: Response,
  response: ServerResponse,
  events: ForwardEvents,
): Promise<void> {
  const headers = [...answer.headers].filter(([name]) => isPassedOn(name))
  response.writeHead(answer.status, Object.fromEntries(headers))
  const paymentId = answer.headers.get('x-payment-id') ?? undefined
  const isPaid = paymentId !== undefined || answer.headers.has('payment-response')
  try {
    if (answer.body === null) response.end()
    else await pipeline(Readable.fromWeb(answer.body), response)
  } finally {
    // Also when the app has disconnected: what was delivered is billed.
    if (isPaid) await events.paid(paymentId)
  }
}
