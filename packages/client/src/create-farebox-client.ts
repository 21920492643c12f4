import type {
  ChatCompletion,
  ChatEstimate,
  ChatModelList,
  ImageEstimate,
  ImageModelList,
  ImageResultBody,
  NetworkHealth,
  PaymentBody,
} from '@farebox/api'
import type { Usdc } from '@farebox/money'
import {
  chatCompletionShape,
  chatEstimateShape,
  chatModelListShape,
  imageEstimateShape,
  imageModelListShape,
  imageResultShape,
  networkHealthShape,
} from './call/body-shapes.ts'
import { type CallOptions, type Calls, createCalls, type FreeCallOptions } from './call/calls.ts'
import { type ChatStream, createChatStream } from './call/chat-stream.ts'
import { type FareboxClientOptions, readClientOptions } from './call/client-options.ts'
import { readResponse } from './call/read-response.ts'
import type { ChatInput, ImageEstimateInput, ImageInput } from './call/request-input.ts'
import { type WaitOptions, waitForRefund } from './call/wait-for-refund.ts'
import type { ChannelActions } from './channel/channel-actions.ts'
import type { ChannelFigures } from './channel/channel-figures.ts'
import { FareboxError } from './farebox-error.ts'
import { apiError } from './http/api-error.ts'
import type { Fetch } from './pay/paying-fetch.ts'
import type { PaymentReceipt } from './pay/payment-receipt.ts'

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
  /**
   * A fetch that pays within the caps; give it to any OpenAI client. Text that begins with `/` is
   * relative to `baseUrl`. A call that cannot be paid resolves to a 402 whose body has the `code`.
   */
  readonly fetch: Fetch
  chat(request: ChatInput, options?: CallOptions): Promise<ChatResult>
  /** Resolves when the response begins; iterate the result for its chunks. */
  chatStream(request: ChatInput, options?: CallOptions): Promise<ChatStream>
  estimate(request: ChatInput, options?: FreeCallOptions): Promise<ChatEstimate>
  models(options?: FreeCallOptions): Promise<ChatModelList>
  readonly images: {
    generate(request: ImageInput, options?: CallOptions): Promise<ImageResult>
    estimate(request: ImageEstimateInput, options?: FreeCallOptions): Promise<ImageEstimate>
    models(options?: FreeCallOptions): Promise<ImageModelList>
  }
  /** The record of a payment: its cost, and the state of its refund. */
  payment(id: string, options?: FreeCallOptions): Promise<PaymentBody>
  /**
   * Resolves when the refund of a payment is confirmed on chain, or will not be sent now: it is
   * blocked, accrues until it is worth the gas, or nothing is owed. Throws `refund_pending`.
   */
  waitForRefund(id: string, options?: WaitOptions): Promise<PaymentBody>
  /**
   * The payment channel of this client; `undefined` if the gateway has none. This and the next two
   * throw `channel_unavailable` without the option `channel`.
   */
  channel(options?: FreeCallOptions): Promise<ChannelFigures | undefined>
  /** Deposits more into the channel, or opens it. */
  topUp(amount: Usdc, options?: FreeCallOptions): Promise<ChannelFigures>
  /**
   * Requests the return of the rest of the channel to the payer; its transfer follows. From then on
   * this client pays for each call separately. Throws `channel_refused` with the reason.
   */
  closeChannel(options?: FreeCallOptions): Promise<ChannelFigures>
  health(options?: FreeCallOptions): Promise<NetworkHealth>
  /**
   * Total cost of the calls so far, counting those in flight at their maximum. What a channel holds
   * beyond that counts against the caps, but is not spent.
   */
  spent(): Usdc
}

/**
 * Creates a client of one Farebox gateway. It pays each call from one account, within caps that are
 * checked before anything is signed. Failures are a `FareboxError` with a stable `code`; a call that is
 * aborted throws the reason of its signal.
 *
 * @throws {FareboxError} `invalid_option`.
 */
export function createFareboxClient(options: FareboxClientOptions): FareboxClient {
  const settings = readClientOptions(options)
  const calls = createCalls(settings)

  return {
    address: settings.signer?.address,
    fetch: calls.fetch,
    async chat(request, callOptions) {
      const body = { ...request, stream: false }
      const { response, receipt } = await calls.post('/v1/chat/completions', body, callOptions)
      return { completion: await readResponse(response, chatCompletionShape), receipt }
    },
    async chatStream(request, callOptions) {
      const body = { ...request, stream: true }
      const { response, receipt } = await calls.post('/v1/chat/completions', body, callOptions)
      if (!response.ok) throw await apiError(response)
      return { ...createChatStream(response, calls.noteCost), receipt }
    },
    estimate: async (body, callOptions) =>
      await calls.ask({ path: '/v1/estimate', body, shape: chatEstimateShape }, callOptions),
    models: async (callOptions) =>
      await calls.ask({ path: '/v1/models', shape: chatModelListShape }, callOptions),
    images: imageCalls(calls),
    payment: calls.payment,
    waitForRefund: async (id, options) =>
      await waitForRefund(id, async (asking) => await calls.payment(id, asking), options),
    channel: async (callOptions) => await actionsOf(calls).figures(callOptions),
    topUp: async (amount, callOptions) => await actionsOf(calls).topUp(amount, callOptions),
    closeChannel: async (callOptions) => await actionsOf(calls).close(callOptions),
    health: async (callOptions) =>
      await calls.ask({ path: '/health', shape: networkHealthShape }, callOptions),
    spent: calls.spent,
  }
}

function actionsOf({ actions }: Calls): ChannelActions {
  if (actions !== undefined) return actions
  throw new FareboxError(
    'channel_unavailable',
    'This client has no payment channel: create it with an account and the option `channel`.',
  )
}

function imageCalls(calls: Calls): FareboxClient['images'] {
  return {
    async generate(request, callOptions) {
      const { response, receipt } = await calls.post('/v1/images/generate', request, callOptions)
      const result = await readResponse(response, imageResultShape)
      if (receipt?.paymentId !== undefined) {
        calls.noteCost({ id: receipt.paymentId, cost: result.cost })
      }
      return { result, receipt }
    },
    estimate: async (body, callOptions) =>
      await calls.ask(
        { path: '/v1/images/estimate', body, shape: imageEstimateShape },
        callOptions,
      ),
    models: async (callOptions) =>
      await calls.ask({ path: '/v1/images/models', shape: imageModelListShape }, callOptions),
  }
}
