import { type ChatSale, type ModelSale, ownQuote } from '@farebox/storefront'
import type { SaleTerms } from '../paid/paid-endpoint.ts'
import { paidPlace, type Quoting } from '../paid/quote/quoting.ts'
import type { ChatRoute, ProviderRoutes } from '../providers/provider-routes.ts'
import { requestRoutes } from '../providers/request-routes.ts'
import type { ChatOrder } from './complete-chat.ts'

/** A way to serve a sale: one of its models, on one of the model's routes. */
type SaleRoute = { readonly sale: ModelSale; readonly route: ChatRoute }

/** Every way to serve a sale: the routes of its first model in order, then those of its fallbacks. */
export function saleRoutes(sale: ChatSale, providers: ProviderRoutes): readonly SaleRoute[] {
  return sale.models.flatMap((modelSale) => {
    const { routes } = requestRoutes(providers, modelSale.model, modelSale.request)
    return routes.map((route) => ({ sale: modelSale, route }))
  })
}

/** Whether the route's breaker is closed. */
export function isAvailable({ route }: SaleRoute): boolean {
  return route.provider.available(route.upstreamModel)
}

/**
 * The orders of a paid sale: its available routes, in their order. What is paid is served: if every
 * breaker has opened since, all routes are tried.
 */
export function openOrders(
  sale: ChatSale,
  paid: {
    readonly providers: ProviderRoutes
    readonly payment: SaleTerms
    readonly quoting: Pick<Quoting, 'withinPayment'>
  },
): readonly [ChatOrder, ...ChatOrder[]] {
  const place = paidPlace(sale.quotes, paid.payment)
  const routes = saleRoutes(sale, paid.providers)
  const open = routes.filter(isAvailable)
  const orders = (open.length > 0 ? open : routes).map((saleRoute) => ({
    ...saleRoute,
    quote: paid.quoting.withinPayment(ownQuote(saleRoute.sale, place), paid.payment),
  }))
  const [first, ...others] = orders
  if (first === undefined) throw new Error(`no provider serves ${sale.model.id}`)
  return [first, ...others]
}
