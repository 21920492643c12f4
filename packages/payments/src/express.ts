export { channelRoutes } from './express/channel-routes.ts'
export { PriceError } from './express/middleware-price.ts'
export type { FacilitatorConfig } from './express/open-paywalls.ts'
export {
  type PaymentMiddleware,
  paymentMiddleware,
  UnsupportedNetworkError,
} from './express/payment-middleware.ts'
export { RouteError } from './express/route-table.ts'
export type { Price, RouteConfig, RoutesConfig } from './express/routes-config.ts'
export { type Sale, type Served, sell } from './express/sell.ts'
export type { Paywall } from './paywall/assemble-paywall.ts'
export { openPaywall } from './paywall/open-paywall.ts'
export type { PaywallOptions } from './paywall/paywall-options.ts'
export { type FacilitatorChoice, PaywallError } from './paywall/settlement-backend.ts'
export { SaleError } from './request/sale-error.ts'
