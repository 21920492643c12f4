import { defaultTemperature } from '@farebox/api'
import { routePrice } from '@farebox/catalogs'
import { type ChatQuote, highestRates, type Usage } from '@farebox/pricing'
import {
  type ChatCall,
  type ChatStream,
  chatUsageJson,
  collectCompletion,
  type Delivered,
  heartbeatText,
  isNothing,
  isProvokedSilence,
  openFirstRoute,
  type RelayOutcome,
  type RoutedCall,
  relayEventStream,
  UpstreamError,
} from '@farebox/provider-proxy'
import type { ModelSale } from '@farebox/storefront'
import type { Response } from 'express'
import type { Ending } from '../paid/ending.ts'
import type { Completed, ServedCall } from '../paid/paid-endpoint.ts'
import { setStreamHeaders } from '../paid/stream-response.ts'
import type { ChatRoute } from '../providers/provider-routes.ts'
import { billableOutput } from './billable-output.ts'
import { firstTokenTimeout } from './first-token-timeout.ts'
import { keepAliveUntil } from './keep-alive-until.ts'
import { responseSink } from './response-sink.ts'
import { streamRest } from './stream-rest.ts'
import { basisAfterDisconnect, mayReasonUnseen, type UnmeteredBasis } from './unmetered-basis.ts'

/** A paid request on one route. */
export type ChatOrder = {
  readonly sale: ModelSale
  /** The model's quote at the price that was paid. */
  readonly quote: ChatQuote
  readonly route: ChatRoute
}

/** The orders of one payment, in the order in which they are tried. */
export type ChatOrders = readonly [ChatOrder, ...ChatOrder[]]

/** What a provider delivered, before it is billed. */
export type ChatDelivery = RelayedChat & {
  /** The model that was called last. */
  readonly sale: ModelSale
  readonly quote: ChatQuote
  /** From the call to the end of the completion, in ms since 1970. */
  readonly during: { readonly from: number; readonly to: number }
}

type RelayedChat = {
  readonly delivered: Delivered
  /** The provider's figures; null when it reported none. */
  readonly usage: Usage | null
  /** What the provider had counted when its response ended early. */
  readonly usageSoFar: Usage | null
  readonly withoutUsage: UnmeteredBasis
  /** The end of the response carries the usage that is billed. */
  readonly ending: (billed: Usage) => Ending
  /** The request may have caused the early end, and the provider may bill more than is paid. */
  readonly faultOf?: 'payer'
}

/** A paid request in progress. */
type Progress = {
  readonly orders: ChatOrders
  /** The order that is being served. */
  order: ChatOrder
  stream: ChatStream | undefined
  delivered: Delivered
  readonly overBudget: (delivered: Delivered) => boolean
}

/**
 * Calls the providers of the orders until one responds, and relays its completion, except for its end.
 */
export async function completeChat(
  orders: ChatOrders,
  call: ServedCall,
  now: () => number,
): Promise<Completed<ChatDelivery>> {
  const progress = begin(orders)
  const relay = orders[0].sale.request.stream === true ? relayStream : collectJson
  const from = now()
  const delivery = (relayed: RelayedChat): Completed<ChatDelivery> => {
    const { sale, quote: paid, route } = progress.order
    // The quote covers every route; the bill is that of the one that served.
    const quote = { ...paid, price: routePrice(paid.price, route) }
    return {
      status: 'delivered',
      delivery: { ...relayed, sale, quote, during: { from, to: now() } },
    }
  }
  try {
    return delivery(await relay(progress, call))
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    noteFailure(call, error)
    const clientLeft = error.code === 'aborted' && call.response.closed
    if (!clientLeft) return { status: 'failed', error: failureOf(error, progress) }
    // A client that disconnects is billed for what was made for it; a failing provider costs nothing.
    const { delivered, order } = progress
    const withoutUsage = basisAfterDisconnect(delivered, order)
    const usageSoFar = progress.stream?.usageSoFar?.() ?? null
    const unmetered = { delivered, usage: null, usageSoFar, withoutUsage }
    return delivery({ ...unmetered, ending: () => ({ type: 'none' }) })
  }
}

/** A provoked silence counts as a call that took too long: the payer may have meant it. */
function failureOf(error: UpstreamError, { order }: Progress): UpstreamError {
  if (!isProvoked(error, order)) return error
  const { message, provider } = error
  return new UpstreamError(message, { code: 'upstream_overtime', provider, cause: error })
}

function isProvoked(error: UpstreamError, order: ChatOrder): boolean {
  const { request } = order.sale
  return isProvokedSilence(error, { request, mayReasonUnseen: mayReasonUnseen(order) })
}

/** The early ends that a request can cause although the response has begun. */
const provokedEnds: ReadonlySet<string> = new Set([
  'upstream_overtime',
  'upstream_unusable',
  'upstream_withheld',
])

/** Such an end has no usage, without which unseen thoughts are not paid for. */
function leavesThoughtsUnpaid(code: string, order: ChatOrder): boolean {
  return provokedEnds.has(code) && mayReasonUnseen(order)
}

function begin(orders: ChatOrders): Progress {
  const progress: Progress = {
    orders,
    order: orders[0],
    stream: undefined,
    delivered: { choices: [], bytes: 0, chunks: 0, images: 0, bytesNotKept: 0 },
    overBudget: (delivered) => {
      progress.delivered = delivered
      return exceedsCap(delivered, progress.order.quote)
    },
  }
  return progress
}

async function openStream(progress: Progress, call: ServedCall): Promise<ChatStream> {
  const { response, observation } = call
  const [first, ...others] = progress.orders
  const stream = await openFirstRoute(
    [routed(first, call), ...others.map((order) => routed(order, call))],
    ({ order }) => {
      progress.order = order
      const { sale, route } = order
      observation.note({ model: sale.model.id, provider: route.name })
    },
  )
  progress.stream = stream
  observation.endPhase('upstream')
  if (!response.headersSent) response.set(observation.headers())
  return stream
}

function routed(order: ChatOrder, call: ServedCall): RoutedCall & { readonly order: ChatOrder } {
  const { provider } = order.route
  return {
    order,
    call: callOf(order, call),
    provider: {
      open: async (given) => {
        try {
          return await provider.open(given)
        } catch (error) {
          noteFailure(call, error)
          throw error
        }
      },
    },
  }
}

/** For the log: another provider may serve the call, or the response may have begun. */
function noteFailure({ observation }: ServedCall, error: unknown): void {
  if (!(error instanceof UpstreamError) || error.code === 'aborted') return
  observation.note({ providerFailure: error.message })
}

function callOf(order: ChatOrder, { signal, giveUp }: ServedCall): ChatCall {
  const { sale, quote, route } = order
  const firstToken = firstTokenTimeout(sale.model, route.name)
  return {
    model: sale.model.id,
    upstreamModel: route.upstreamModel,
    request: sale.request,
    maxTokens: sale.maxTokens,
    maxBilledOutput: billableOutput(quote),
    contextLength: Math.max(sale.model.contextLength, quote.inputTokens),
    ...temperatureOf(sale),
    maxPrice: highestRates(quote.price, quote.inputTokens),
    signal,
    stop: giveUp,
    ...(firstToken !== undefined && { firstToken }),
    // Without the usage, unseen reasoning would be free for a client that disconnects before the end.
    ...(mayReasonUnseen(order) && { onClientGone: 'drain', mayReasonUnseen: true }),
  }
}

/** The specified default, for models that accept a temperature. */
function temperatureOf({ request, model }: ModelSale): { readonly temperature?: number } {
  const accepts = model.parameters.includes('temperature')
  const temperature = request.temperature ?? (accepts ? defaultTemperature : undefined)
  return temperature === undefined ? {} : { temperature }
}

async function collectJson(progress: Progress, call: ServedCall): Promise<RelayedChat> {
  const { overBudget } = progress
  const outcome = await collectCompletion(await openStream(progress, call), { overBudget })
  const { order } = progress
  const isOvertime = outcome.stoppedBy === 'time'
  if (call.reply?.canExpress?.(outcome.completion(null)) === false) {
    throw brokenCall(order.route)
  }
  return {
    delivered: outcome.delivered,
    usage: outcome.usage,
    usageSoFar: outcome.usageSoFar,
    withoutUsage: 'counted',
    ...(isOvertime && leavesThoughtsUnpaid('upstream_overtime', order) && { faultOf: 'payer' }),
    ending: (billed) => {
      const completion = outcome.completion(chatUsageJson(billed, outcome.timings))
      const body = JSON.stringify(call.reply?.body(completion) ?? completion)
      return { type: 'json', statusCode: 200, body }
    },
  }
}

function brokenCall({ name: provider }: ChatRoute): UpstreamError {
  const message = `${provider} sent arguments of a tool call that are not a JSON object, or are nested too deeply`
  return new UpstreamError(message, { code: 'upstream_unusable', provider })
}

async function relayStream(progress: Progress, call: ServedCall): Promise<RelayedChat> {
  const { response } = call
  const sink = responseSink(call)
  const opening = openStream(progress, call)
  // It may fail before the payment is settled.
  opening.catch(() => undefined)
  await call.released
  const stream = await keepAliveUntil(opening, () => {
    beginStream(response)
    sink.write(heartbeatText)
  })
  beginStream(response)
  const [{ sale }] = progress.orders
  const events = call.reply?.openStream(sale)
  const { overBudget } = progress
  const options = { overBudget, ...(events && { encode: events.push }) }
  const outcome = await relayEventStream(stream, sink, options)
  throwIfNothingDelivered(outcome, response)
  if (outcome.status !== 'complete') noteFailure(call, outcome.error)
  const { order } = progress
  const mayBeProvoked =
    outcome.status === 'truncated' &&
    (isProvoked(outcome.error, order) || leavesThoughtsUnpaid(outcome.error.code, order))
  return {
    delivered: outcome.delivered,
    usage: outcome.usage,
    usageSoFar: outcome.usageSoFar,
    withoutUsage: hasClientLeft(outcome, response)
      ? basisAfterDisconnect(outcome.delivered, order)
      : 'counted',
    ending: (billed) => ({
      type: 'stream',
      sent: sink.written(),
      rest: streamRest(outcome, billed, { response, events }),
    }),
    ...(mayBeProvoked && { faultOf: 'payer' }),
  }
}

/** Sends the headers and the first words in one packet. */
function beginStream(response: Response): void {
  if (response.headersSent) return
  response.status(200)
  setStreamHeaders(response)
  const { socket } = response
  socket?.cork()
  response.flushHeaders()
  // After the relay has written the events that have arrived already.
  setImmediate(() => socket?.uncork())
}

/** A call that fails before the first word costs nothing, although its stream had begun. */
function throwIfNothingDelivered(outcome: RelayOutcome, response: Response): void {
  if (outcome.status === 'complete' || !isNothing(outcome.delivered)) return
  if (outcome.error !== undefined) throw outcome.error
  if (!hasClientLeft(outcome, response)) throw new UpstreamError('The gateway stopped', stopped)
}

const stopped = { code: 'aborted', provider: '' } as const

/** Whether the client ended a stream, rather than the provider or the gateway. */
function hasClientLeft(outcome: RelayOutcome, response: Response): boolean {
  if (outcome.status !== 'client_gone' || outcome.error !== undefined) return false
  return response.closed || outcome.reason === 'slow'
}

/** How many events of a stream may hold no token of the completion. */
const maxEmptyChunks = 64

/** Each event of text is a token at least: a provider that ignores its cap is stopped. */
function exceedsCap({ chunks }: Delivered, quote: ChatQuote): boolean {
  return chunks > billableOutput(quote) + maxEmptyChunks
}
