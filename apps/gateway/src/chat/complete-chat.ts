import { type ChatQuote, highestRates, type Usage } from '@farebox/pricing'
import {
  type ChatStream,
  chatUsageJson,
  collectCompletion,
  type Delivered,
  heartbeatText,
  type RelayOutcome,
  relayEventStream,
  UpstreamError,
} from '@farebox/provider-proxy'
import type { ChatSale } from '@farebox/storefront'
import type { Response } from 'express'
import type { Ending } from '../paid/ending.ts'
import type { Completed, PaidCall } from '../paid/paid-endpoint.ts'
import { setStreamHeaders } from '../paid/stream-response.ts'
import type { ChatRoute } from '../providers/provider-routes.ts'
import { keepAliveUntil } from './keep-alive-until.ts'
import { responseSink } from './response-sink.ts'
import { streamRest } from './stream-rest.ts'
import { basisOfLeaver, mayReasonUnseen, type UnmeteredBasis } from './unmetered-basis.ts'

export type ChatOrder = {
  readonly sale: ChatSale
  /** The quote that was paid. */
  readonly quote: ChatQuote
  readonly route: ChatRoute
}

/** What a provider delivered, before it is billed. */
export type ChatDelivery = RelayedChat & {
  readonly quote: ChatQuote
  /** From the call to the end of the completion, in ms since 1970. */
  readonly during: { readonly from: number; readonly to: number }
}

type RelayedChat = {
  readonly delivered: Delivered
  /** The provider's figures; null when it reported none. */
  readonly usage: Usage | null
  readonly withoutUsage: UnmeteredBasis
  /** The end of the response carries the usage that is billed. */
  readonly ending: (billed: Usage) => Ending
}

type OverBudget = (delivered: Delivered) => boolean

/** Calls the provider and relays its completion, except for its end. */
export async function completeChat(
  order: ChatOrder,
  call: PaidCall,
  now: () => number,
): Promise<Completed<ChatDelivery>> {
  const { sale, quote } = order
  const relay = sale.request.stream === true ? relayStream : collectJson
  const from = now()
  let delivered: Delivered = { choices: [], bytes: 0, chunks: 0, bytesNotKept: 0 }
  const overBudget: OverBudget = (soFar) => {
    delivered = soFar
    return exceedsCap(soFar, quote)
  }
  const delivery = (relayed: RelayedChat): Completed<ChatDelivery> => ({
    status: 'delivered',
    delivery: { ...relayed, quote, during: { from, to: now() } },
  })
  try {
    return delivery(await relay(order, call, overBudget))
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    const clientLeft = error.code === 'aborted' && call.response.closed
    if (!clientLeft) return { status: 'failed', error }
    // A client that disconnects is billed for what was made for it; a failing provider costs nothing.
    const withoutUsage = basisOfLeaver(delivered, order)
    return delivery({ delivered, usage: null, withoutUsage, ending: () => ({ type: 'none' }) })
  }
}

function openStream(order: ChatOrder, { signal, giveUp }: PaidCall): Promise<ChatStream> {
  const { sale, quote, route } = order
  return route.provider.open({
    model: sale.model.id,
    upstreamModel: route.upstreamModel,
    request: sale.request,
    maxTokens: sale.maxTokens,
    ...temperatureOf(sale),
    maxPrice: highestRates(quote.price, quote.inputTokens),
    signal,
    stop: giveUp,
    // Without the usage, what the model reasoned unseen would be free for who leaves before the end.
    ...(mayReasonUnseen(order) && { onClientGone: 'drain' }),
  })
}

/** The specified default, for models that accept a temperature. */
function temperatureOf({ request, model }: ChatSale): { readonly temperature?: number } {
  const accepts = model.parameters.includes('temperature')
  const temperature = request.temperature ?? (accepts ? 0.7 : undefined)
  return temperature === undefined ? {} : { temperature }
}

async function collectJson(
  order: ChatOrder,
  call: PaidCall,
  overBudget: OverBudget,
): Promise<RelayedChat> {
  const outcome = await collectCompletion(await openStream(order, call), { overBudget })
  return {
    delivered: outcome.delivered,
    usage: outcome.usage,
    withoutUsage: 'counted',
    ending: (billed) => {
      const completion = outcome.completion(chatUsageJson(billed, outcome.timings))
      const body = JSON.stringify(call.reply?.body(completion) ?? completion)
      return { type: 'json', statusCode: 200, body }
    },
  }
}

async function relayStream(
  order: ChatOrder,
  call: PaidCall,
  overBudget: OverBudget,
): Promise<RelayedChat> {
  const { response } = call
  const sink = responseSink(call)
  const stream = await keepAliveUntil(openStream(order, call), () => {
    beginStream(response)
    sink.write(heartbeatText)
  })
  beginStream(response)
  const events = call.reply?.openStream()
  const options = { overBudget, ...(events && { encode: events.push }) }
  const outcome = await relayEventStream(stream, sink, options)
  return {
    delivered: outcome.delivered,
    usage: outcome.usage,
    withoutUsage: hasLeft(outcome, response) ? basisOfLeaver(outcome.delivered, order) : 'counted',
    ending: (billed) => ({
      type: 'stream',
      sent: sink.written(),
      rest: streamRest(outcome, billed, { response, events }),
    }),
  }
}

function beginStream(response: Response): void {
  if (response.headersSent) return
  response.status(200)
  setStreamHeaders(response)
  response.flushHeaders()
}

/** Whether the client ended a stream, rather than the provider or the gateway. */
function hasLeft(outcome: RelayOutcome, response: Response): boolean {
  if (outcome.status !== 'client_gone' || outcome.error !== undefined) return false
  return response.closed || outcome.reason === 'slow'
}

/** Events of a stream without a token of the completion, at most. */
const emptyChunks = 64

/** Each event of text is a token at least: a provider that ignores its cap is stopped. */
function exceedsCap({ chunks }: Delivered, { outputTokens }: ChatQuote): boolean {
  return chunks > outputTokens + emptyChunks
}
