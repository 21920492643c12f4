import { bodyErrorResponse, errorResponse } from '@farebox/http'
import { formatUsdc } from '@farebox/money'
import type { PaymentGate } from '@farebox/payments'
import { type ChatSale, quoteChatRequest, type Storefront } from '@farebox/storefront'
import type { LossWatch } from '../observe/loss-monitor.ts'
import { modelUnavailable } from '../paid/model-unavailable.ts'
import type { PaidEndpoint, Priced } from '../paid/paid-endpoint.ts'
import { offersOf, paidQuote, quotedAmounts } from '../paid/quote-offers.ts'
import type { AnswerKeeping } from '../paid/recorded-answer.ts'
import { requestDigest } from '../paid/request-digest.ts'
import type { ProviderSet } from '../providers/provider-routes.ts'
import { chatError } from './chat-error.ts'
import { serveChat } from './serve-chat.ts'

export type ChatCompletionsDeps = {
  readonly storefront: Storefront
  readonly providers: ProviderSet
  readonly gate: PaymentGate
  readonly keeping: AnswerKeeping
  readonly lossWatch: LossWatch
}

const path = '/v1/chat/completions'

/** `POST /v1/chat/completions`. */
export function chatCompletions(deps: ChatCompletionsDeps): PaidEndpoint<ChatSale> {
  const { storefront, providers } = deps
  return {
    path,
    description: 'A chat completion. The maximum is paid up front, the rest refunded.',
    mimeType: 'application/json',
    quote: async (body, signal) => {
      if (body.status === 'absent') return price(await quoteProbe(storefront))
      if (body.status !== 'json') return { status: 'refused', answer: bodyErrorResponse(body) }
      return price(await quoteChatRequest(body.value, storefront, signal))
    },
    unavailable: (sale) => {
      const route = providers.chatRoute(sale.model)
      const open = route?.provider.available(route.upstreamModel) === true
      return open ? undefined : modelUnavailable(sale.model.id)
    },
    serve: async (sale, served) => {
      const route = providers.chatRoute(sale.model)
      if (route === undefined) throw new Error(`no provider serves ${sale.model.id}`)
      await serveChat(
        { sale, quote: paidQuote(sale.quotes, served.payment.priceVersion), route },
        served,
        deps,
      )
    },
    errorAnswer: chatError,
  }
}

/** A request without a body, as registries and wallets send it to see the price. */
function quoteProbe(storefront: Storefront): ReturnType<typeof quoteChatRequest> {
  return quoteChatRequest({ messages: [{ role: 'user', content: 'Hello' }] }, storefront)
}

function price(quoted: Awaited<ReturnType<typeof quoteChatRequest>>): Priced<ChatSale> {
  if (quoted.status === 'rejected')
    return { status: 'refused', answer: errorResponse(400, quoted.rejection) }
  const { sale } = quoted
  const [current] = sale.quotes
  return {
    status: 'priced',
    sale,
    offers: offersOf(sale.quotes),
    digest: requestDigest(path, { ...sale.request, model: sale.model.id }),
    challenge: {
      message: `Payment of at most ${formatUsdc(current.maximum)} USDC required. What the answer does not cost is refunded.`,
      quote: {
        model: sale.model.id,
        inputTokens: sale.inputTokens,
        outputTokens: current.outputTokens,
        ...quotedAmounts(current),
      },
    },
  }
}
