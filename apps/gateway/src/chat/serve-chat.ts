import { type PaymentRecord, publicPayment, type StoredAnswer } from '@farebox/ledger'
import type { PaymentGate } from '@farebox/payments'
import { type ChatQuote, dearestRates } from '@farebox/pricing'
import {
  type ChatStream,
  chatUsageJson,
  collectCompletion,
  type Delivered,
  doneText,
  receiptText,
  relayEventStream,
  streamErrorText,
  UpstreamError,
} from '@farebox/provider-proxy'
import type { ChatSale, Storefront } from '@farebox/storefront'
import { type CounterName, counterNames } from '@farebox/tokenizer'
import type { LossWatch } from '../observe/loss-monitor.ts'
import { failUpstream } from '../paid/fail-upstream.ts'
import type { Served } from '../paid/paid-endpoint.ts'
import {
  type AnswerKeeping,
  keepAnswer,
  setStreamHeaders,
  streamContentType,
} from '../paid/recorded-answer.ts'
import type { ChatRoute } from '../providers/provider-routes.ts'
import { type Billed, billChat, type ChatBill } from './chat-bill.ts'
import { chatError } from './chat-error.ts'
import { responseSink } from './response-sink.ts'

export type ChatOrder = {
  readonly sale: ChatSale
  /** The quote that was paid. */
  readonly quote: ChatQuote
  readonly route: ChatRoute
}

export type ServeChatDeps = {
  readonly gate: PaymentGate
  readonly storefront: Storefront
  readonly keeping: AnswerKeeping
  readonly lossWatch: LossWatch
}

const nothingDelivered: Delivered = { choices: [], bytes: 0, chunks: 0, bytesNotKept: 0 }

/** Calls the provider, relays the answer, and fixes what it cost before the answer ends. */
export async function serveChat(
  order: ChatOrder,
  served: Served,
  deps: ServeChatDeps,
): Promise<void> {
  const serving = { order, served, deps, from: deps.storefront.now() }
  const stream = await openStream(serving)
  if (stream === undefined) return
  if (order.sale.request.stream === true) await serveStream(stream, serving)
  else await serveJson(stream, serving)
}

type Serving = {
  readonly order: ChatOrder
  readonly served: Served
  readonly deps: ServeChatDeps
  /** When the provider was called, in ms since 1970. */
  readonly from: number
}

/** `undefined` when the provider failed before its first byte, and everything was refunded. */
async function openStream(serving: Serving): Promise<ChatStream | undefined> {
  const { order, served } = serving
  const { sale, quote, route } = order
  try {
    return await route.provider.open({
      model: sale.model.id,
      upstreamModel: route.upstreamModel,
      request: sale.request,
      maxTokens: sale.maxTokens,
      ...temperatureOf(sale),
      maxPrice: dearestRates(quote.price, quote.inputTokens),
      signal: served.signal,
    })
  } catch (error) {
    await endBeforeFirstByte(error, serving, nothingDelivered)
    return undefined
  }
}

/** The specification's default, for models that take a temperature at all. */
function temperatureOf({ request, model }: ChatSale): { readonly temperature?: number } {
  const takes = model.parameters.includes('temperature')
  const temperature = request.temperature ?? (takes ? 0.7 : undefined)
  return temperature === undefined ? {} : { temperature }
}

/** A client that left is billed for what was made for it; a provider's failure costs nothing. */
async function endBeforeFirstByte(
  error: unknown,
  serving: Serving,
  delivered: Delivered,
): Promise<void> {
  const { served, deps } = serving
  if (!(error instanceof UpstreamError)) throw error
  if (error.code === 'aborted' && served.response.closed) {
    await record(serving, await billOf(serving, { delivered, usage: null }), null)
    return
  }
  await failUpstream(error, served, { ...deps, errorAnswer: chatError })
}

async function serveJson(stream: ChatStream, serving: Serving): Promise<void> {
  const { served, deps } = serving
  let delivered = nothingDelivered
  const overBudget = (soFar: Delivered): boolean => {
    delivered = soFar
    return exceedsCap(soFar, serving.order)
  }
  const outcome = await collectCompletion(stream, { overBudget }).catch(async (error: unknown) => {
    await endBeforeFirstByte(error, serving, delivered)
  })
  if (outcome === undefined) return
  const bill = await billOf(serving, outcome)
  const body = JSON.stringify(outcome.completion(chatUsageJson(bill.usage, outcome.timings)))
  const contentType = 'application/json; charset=utf-8'
  await record(serving, bill, keepAnswer({ statusCode: 200, contentType, body }, deps.keeping))
  served.response
    .status(200)
    .set(served.headers)
    .set({ 'Content-Type': contentType, 'Cache-Control': 'private, no-store' })
    .end(body)
}

async function serveStream(stream: ChatStream, serving: Serving): Promise<void> {
  const { served } = serving
  const { response } = served
  response.status(200).set(served.headers)
  setStreamHeaders(response)
  response.flushHeaders()
  const sink = responseSink(response, served.signal)
  const outcome = await relayEventStream(stream, sink, {
    overBudget: (delivered) => exceedsCap(delivered, serving.order),
  })
  const bill = await billOf(serving, outcome)
  const keep = (end: string): StoredAnswer | null =>
    keepAnswer(
      { statusCode: 200, contentType: streamContentType, body: sink.written() + end },
      serving.deps.keeping,
    )
  switch (outcome.status) {
    case 'complete': {
      const final = outcome.finalChunk(chatUsageJson(bill.usage, outcome.timings))
      const payment = await record(serving, bill, keep(final + doneText))
      response.end(final + receiptText(publicPayment(payment)) + doneText)
      return
    }
    case 'truncated': {
      const end = streamErrorText({
        message: 'The provider broke off. What was delivered is billed, the rest refunded.',
        code: 'upstream_truncated',
        type: 'api_error',
      })
      const payment = await record(serving, bill, keep(end))
      response.end(receiptText(publicPayment(payment)) + end)
      return
    }
    case 'client_gone': {
      const end = interrupted(served)
      await record(serving, bill, keep(end))
      response.end(end)
      return
    }
  }
}

/** Events of a stream that carry no token of the answer, at most. */
const emptyChunks = 64

/** Each event of text is a token at least: a provider that ignores its cap is stopped. */
function exceedsCap({ chunks }: Delivered, { quote }: ChatOrder): boolean {
  return chunks > quote.outputTokens + emptyChunks
}

function interrupted({ response }: Served): string {
  const stopped = !response.closed
  return streamErrorText({
    message: stopped
      ? 'The service stopped. What was delivered is billed, the rest refunded.'
      : 'The connection was lost. What was delivered is billed, the rest refunded.',
    code: stopped ? 'shutting_down' : 'upstream_truncated',
    type: 'api_error',
  })
}

type Delivery = Pick<Billed, 'delivered' | 'usage'>

function billOf(
  { order, served, deps, from }: Serving,
  { delivered, usage }: Delivery,
): Promise<ChatBill> {
  const { sale, quote } = order
  const during = { from, to: deps.storefront.now() }
  const paid = served.payment.authorization.value
  const counter = counterOf(sale.model.counter)
  return billChat(
    { quote, paid, inputTokens: sale.inputTokens, counter, delivered, usage, during },
    deps.storefront.counter,
  )
}

/** Writes cost, refund and the kept answer down: only then may the answer end. */
function record(
  { served, deps }: Serving,
  { cost, upstream, recorded: usage }: ChatBill,
  answer: StoredAnswer | null,
): Promise<PaymentRecord> {
  deps.lossWatch(served.payment, upstream)
  return deps.gate.complete(served.payment, { cost, usage, answer })
}

function counterOf(name: string): CounterName {
  return counterNames.find((known) => known === name) ?? 'generic'
}
