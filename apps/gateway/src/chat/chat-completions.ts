import { bodyErrorResponse, errorResponse } from '@farebox/http'
import {
  type ChatSale,
  type QuoteOptions,
  quoteChatRequest,
  type Storefront,
} from '@farebox/storefront'
import { modelUnavailable } from '../paid/model-unavailable.ts'
import type { PaidEndpoint, Priced } from '../paid/paid-endpoint.ts'
import type { Quoting } from '../paid/quote/quoting.ts'
import { requestDigest } from '../paid/quote/request-digest.ts'
import type { ProviderRoutes } from '../providers/provider-routes.ts'
import { billChat } from './bill-chat.ts'
import { chatError } from './chat-error.ts'
import { type ChatDelivery, completeChat } from './complete-chat.ts'
import { isAvailable, openOrders, saleRoutes } from './open-orders.ts'

export type ChatCompletionsDeps = {
  readonly storefront: Storefront
  readonly providers: ProviderRoutes
  readonly quoting: Quoting
  /** The bodies that are taken; those of the storefront by default. */
  readonly requests?: Omit<QuoteOptions, 'signal'>
}

const path = '/v1/chat/completions'

/** `POST /v1/chat/completions`. */
export function chatCompletions({
  storefront,
  providers,
  quoting,
  requests,
}: ChatCompletionsDeps): PaidEndpoint<ChatSale, ChatDelivery> {
  return {
    path,
    description: 'A chat completion. The maximum is paid up front, the rest refunded.',
    mimeType: 'application/json',
    requiredField: 'messages',
    quote: async (body, signal) => {
      if (body.status === 'absent') return await price(await quoteProbe(storefront), quoting)
      if (body.status !== 'json') return { status: 'refused', error: bodyErrorResponse(body) }
      return await price(
        await quoteChatRequest(body.value, storefront, { ...requests, signal }),
        quoting,
      )
    },
    unavailable: (sale) => {
      const isOpen = saleRoutes(sale, providers).some(isAvailable)
      return isOpen ? undefined : modelUnavailable(sale.model.id)
    },
    complete: async (sale, call) => {
      const orders = openOrders(sale, { providers, payment: call.payment, quoting })
      return await completeChat(orders, call, storefront.now)
    },
    bill: async (_sale, delivery) => {
      const { inputTokens, counter, model } = delivery.sale
      const billed = { ...delivery, inputTokens, counter }
      const { usage, recorded, ...bill } = await billChat(billed, storefront.counter)
      return { ...bill, model: model.id, usage: recorded, ending: delivery.ending(usage) }
    },
    errorResponse: chatError,
  }
}

/** A request without a body: registries and wallets send it to learn the price. */
function quoteProbe(storefront: Storefront): ReturnType<typeof quoteChatRequest> {
  return quoteChatRequest({ messages: [{ role: 'user', content: 'Hello' }] }, storefront)
}

type Quoted = Awaited<ReturnType<typeof quoteChatRequest>>

async function price(quoted: Quoted, quoting: Quoting): Promise<Priced<ChatSale>> {
  if (quoted.status === 'rejected')
    return { status: 'refused', error: errorResponse(400, quoted.rejection) }
  const { sale } = quoted
  const [current] = sale.quotes
  return {
    status: 'priced',
    sale,
    offers: quoting.offersOf(sale),
    digest: await requestDigest(path, { ...sale.request, model: sale.model.id }),
    challenge: quoting.challengeOf(current, {
      model: sale.model.id,
      inputTokens: sale.inputTokens,
      outputTokens: current.outputTokens,
    }),
  }
}
