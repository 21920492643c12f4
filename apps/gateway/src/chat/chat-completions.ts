import type { ChatRequestSchema } from '@farebox/api'
import { bodyErrorResponse, errorResponse } from '@farebox/http'
import type { Usdc } from '@farebox/money'
import { type ChatSale, quoteChatRequest, type Storefront } from '@farebox/storefront'
import { modelUnavailable } from '../paid/model-unavailable.ts'
import type { PaidEndpoint, Priced } from '../paid/paid-endpoint.ts'
import { challengeOf, offersOf } from '../paid/quote/quote-offers.ts'
import { requestDigest } from '../paid/quote/request-digest.ts'
import type { ProviderRoutes } from '../providers/provider-routes.ts'
import { billChat } from './bill-chat.ts'
import { chatError } from './chat-error.ts'
import { type ChatDelivery, completeChat } from './complete-chat.ts'
import { isAvailable, openOrders, saleRoutes } from './open-orders.ts'

export type ChatCompletionsDeps = {
  readonly storefront: Storefront
  readonly providers: ProviderRoutes
  /** The minimum charge of a call that is paid from a channel; undefined without channels. */
  readonly channelMinimum: Usdc | undefined
  /** The bodies that are taken; those of the storefront by default. */
  readonly schema?: ChatRequestSchema
}

const path = '/v1/chat/completions'

/** `POST /v1/chat/completions`. */
export function chatCompletions({
  storefront,
  providers,
  channelMinimum,
  schema,
}: ChatCompletionsDeps): PaidEndpoint<ChatSale, ChatDelivery> {
  return {
    path,
    description: 'A chat completion. The maximum is paid up front, the rest refunded.',
    mimeType: 'application/json',
    requiredField: 'messages',
    quote: async (body, signal) => {
      if (body.status === 'absent') return await price(await quoteProbe(storefront), channelMinimum)
      if (body.status !== 'json') return { status: 'refused', error: bodyErrorResponse(body) }
      return await price(
        await quoteChatRequest(body.value, storefront, { signal, schema }),
        channelMinimum,
      )
    },
    unavailable: (sale) => {
      const isOpen = saleRoutes(sale, providers).some(isAvailable)
      return isOpen ? undefined : modelUnavailable(sale.model.id)
    },
    complete: async (sale, call) => {
      const orders = openOrders(sale, { providers, payment: call.payment, channelMinimum })
      return await completeChat(orders, call, storefront.now)
    },
    bill: async (_sale, delivery) => {
      const { inputTokens, counter, model } = delivery.sale
      const billed = { ...delivery, inputTokens, counter }
      const { usage, recorded, ...amounts } = await billChat(billed, storefront.counter)
      const ending = delivery.ending(usage)
      return { model: model.id, ...amounts, usage: recorded, ending }
    },
    errorResponse: chatError,
  }
}

/** A request without a body: registries and wallets send it to learn the price. */
function quoteProbe(storefront: Storefront): ReturnType<typeof quoteChatRequest> {
  return quoteChatRequest({ messages: [{ role: 'user', content: 'Hello' }] }, storefront)
}

type Quoted = Awaited<ReturnType<typeof quoteChatRequest>>

async function price(quoted: Quoted, channelMinimum: Usdc | undefined): Promise<Priced<ChatSale>> {
  if (quoted.status === 'rejected')
    return { status: 'refused', error: errorResponse(400, quoted.rejection) }
  const { sale } = quoted
  const [current] = sale.quotes
  return {
    status: 'priced',
    sale,
    // What each fallback costs at most is not known below the minimum: the hold is the same there.
    offers: offersOf(sale.quotes, sale.models.length === 1 ? channelMinimum : undefined),
    digest: await requestDigest(path, { ...sale.request, model: sale.model.id }),
    challenge: challengeOf(current, channelMinimum, {
      model: sale.model.id,
      inputTokens: sale.inputTokens,
      outputTokens: current.outputTokens,
    }),
  }
}
