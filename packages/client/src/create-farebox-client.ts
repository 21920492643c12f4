import {
  type ChatCompletion,
  type ChatEstimate,
  type ChatModelList,
  chatCompletionSchema,
  chatEstimateSchema,
  chatModelListSchema,
  type ImageEstimate,
  type ImageModelList,
  type ImageResultBody,
  imageEstimateSchema,
  imageModelListSchema,
  imageResultSchema,
  type NetworkHealth,
  networkHealthSchema,
  type PaymentBody,
  paymentSchema,
} from '@farebox/api'
import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { apiError } from './call/api-error.ts'
import { type CallOptions, type Calls, createCalls } from './call/calls.ts'
import { type ChatStream, createChatStream } from './call/chat-stream.ts'
import { type FareboxClientOptions, readClientOptions } from './call/client-options.ts'
import { readResponse } from './call/read-response.ts'
import type { ChatInput, ImageEstimateInput, ImageInput } from './call/request-input.ts'
import type { Fetch } from './pay/paying-fetch.ts'
import { type PaymentReceipt, readReceipt } from './pay/payment-receipt.ts'

export type ChatResult = {
  readonly completion: ChatCompletion
  readonly receipt: PaymentReceipt | undefined
}

export type ImageResult = {
  readonly result: ImageResultBody
  readonly receipt: PaymentReceipt | undefined
}

export type FareboxClient = {
  /** The paying address; `undefined` if this client cannot pay. */
  readonly address: `0x${string}` | undefined
  /** A fetch that pays within the caps; give it to any OpenAI client. Paths are relative to `baseUrl`. */
  readonly fetch: Fetch
  chat(request: ChatInput, options?: CallOptions): Promise<ChatResult>
  /** Resolves when the response begins; iterate the result for its chunks. */
  chatStream(request: ChatInput, options?: CallOptions): Promise<ChatStream>
  estimate(request: ChatInput, options?: CallOptions): Promise<ChatEstimate>
  models(options?: CallOptions): Promise<ChatModelList>
  readonly images: {
    generate(request: ImageInput, options?: CallOptions): Promise<ImageResult>
    estimate(request: ImageEstimateInput, options?: CallOptions): Promise<ImageEstimate>
    models(options?: CallOptions): Promise<ImageModelList>
  }
  /** The record of a payment: its cost, and the state of its refund. */
  payment(id: string, options?: CallOptions): Promise<PaymentBody>
  health(options?: CallOptions): Promise<NetworkHealth>
  /** Total cost of the calls so far, counting those in flight at their maximum. */
  spent(): Usdc
}

/**
 * Creates a client of one Farebox gateway. It pays each call from one account, within caps that are
 * checked before anything is signed. Every failure is a `FareboxError` with a stable `code`.
 */
export function createFareboxClient(options: FareboxClientOptions): FareboxClient {
  const settings = readClientOptions(options)
  const calls = createCalls(settings)
  return {
    address: settings.signer?.address,
    fetch: calls.fetch,
    async chat(request, callOptions) {
      const response = await calls.post(
        '/v1/chat/completions',
        { ...request, stream: false },
        callOptions,
      )
      const completion = await readResponse(response, chatCompletionSchema)
      return { completion, receipt: readReceipt(response.headers) }
    },
    async chatStream(request, callOptions) {
      const body = { ...request, stream: true }
      const response = await calls.post('/v1/chat/completions', body, callOptions)
      if (!response.ok) throw await apiError(response)
      return createChatStream(response, (payment) => noteCost(calls, payment))
    },
    estimate: async (request, callOptions) =>
      await readResponse(
        await calls.post('/v1/estimate', request, callOptions),
        chatEstimateSchema,
      ),
    models: async (callOptions) =>
      await readResponse(await calls.get('/v1/models', callOptions), chatModelListSchema),
    images: imageCalls(calls),
    async payment(id, callOptions) {
      const response = await calls.get(`/v1/payments/${encodeURIComponent(id)}`, callOptions)
      const payment = await readResponse(response, paymentSchema)
      noteCost(calls, payment)
      return payment
    },
    health: async (callOptions) =>
      await readResponse(await calls.get('/health', callOptions), networkHealthSchema),
    spent: calls.spent,
  }
}

function imageCalls(calls: Calls): FareboxClient['images'] {
  return {
    async generate(request, callOptions) {
      const response = await calls.post('/v1/images/generate', request, callOptions)
      const result = await readResponse(response, imageResultSchema)
      const receipt = readReceipt(response.headers)
      if (receipt?.paymentId !== undefined) {
        calls.noteCost(receipt.paymentId, parseAtomicUsdc(result.cost.usdc))
      }
      return { result, receipt }
    },
    estimate: async (request, callOptions) =>
      await readResponse(
        await calls.post('/v1/images/estimate', request, callOptions),
        imageEstimateSchema,
      ),
    models: async (callOptions) =>
      await readResponse(await calls.get('/v1/images/models', callOptions), imageModelListSchema),
  }
}

function noteCost(calls: Calls, { id, cost }: PaymentBody): void {
  if (cost !== null) calls.noteCost(id, parseAtomicUsdc(cost.usdc))
}
