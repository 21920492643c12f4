export { PriceError } from './express/middleware-price.ts'
export {
  type FacilitatorConfig,
  type PaymentMiddleware,
  paymentMiddleware,
  UnsupportedNetworkError,
} from './express/payment-middleware.ts'
export { openPaywall, type Paywall, PaywallError, type PaywallOptions } from './express/paywall.ts'
export { RouteError } from './express/route-table.ts'
export type { Price, RouteConfig, RoutesConfig } from './express/routes-config.ts'
export { type Sale, type Served, sell } from './express/sell.ts'
