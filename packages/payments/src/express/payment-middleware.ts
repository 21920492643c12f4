import type { Hex, PaymentRecord } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { Request, RequestHandler, Response } from 'express'
import { paymentNetwork } from '../chain/network.ts'
import { withoutCharge } from '../channel/channel-receipt.ts'
import type { PaymentGate, ServiceFailure } from '../gate/payment-gate.ts'
import type { Paywall } from '../paywall/assemble-paywall.ts'
import { networkOf } from '../request/network-of.ts'
import { resourceUrlOf } from '../request/paid-request.ts'
import { abortSignalOf } from './abort-signal-of.ts'
import { addressOf } from './address-of.ts'
import { beforeHeaders } from './before-headers.ts'
import { channelRoutes } from './channel-routes.ts'
import { readPrice } from './middleware-price.ts'
import {
  type FacilitatorConfig,
  openPaywalls,
  type PricedRow,
  type SoldOn,
} from './open-paywalls.ts'
import { createRouteTable, type PricedRoute } from './route-table.ts'
import { type RoutesConfig, routeConfigOf } from './routes-config.ts'
import { takePayment } from './take-payment.ts'
import { watchDeparture } from './watch-departure.ts'

export type PaymentMiddleware = RequestHandler & {
  /** Ends the work in the background. */
  close(): Promise<void>
}

/**
 * Sells routes at fixed prices, taking what `paymentMiddleware` of x402-express takes. Unlike it: a
 * payment settles before the handler runs and pays for one response only, and the response streams;
 * both protocol versions are understood; prices are exact. A response with status 400 or above is
 * refunded, and so is one that the handler breaks off, unless its client had disconnected before. A
 * redirect is charged. No cache keeps a response, unless the handler sets `Cache-Control`.
 *
 * @throws {RouteError} for a route that cannot be read.
 * @throws {PriceError} for a price that cannot be charged.
 * @throws {UnsupportedNetworkError} for a network other than Base and Base Sepolia.
 * @throws {PaywallError} `invalid_option` for an option that cannot work, and for channels
 * `no_treasury_key` without the treasury's key, `no_channel_relayer` without a relayer.
 */
export function paymentMiddleware(
  payTo: Hex,
  given: RoutesConfig,
  facilitator: FacilitatorConfig = {},
): PaymentMiddleware {
  const routes = { ...given }
  const findRoute = createRouteTable(routes)
  const priced = priceRoutes(routes)
  const paywalls = openPaywalls(payTo, [...priced.values()], facilitator)
  const [first] = paywalls.values()
  const channels = first && channelRoutes(first)
  // It may be mounted twice on the way to one handler.
  const paid = new WeakSet<Request>()

  async function charge(
    request: Request,
    response: Response,
  ): Promise<'paid' | 'answered' | 'free'> {
    const { method, path, baseUrl } = request
    // Under a mount path, `path` is the rest of the path. What has a price in either is not free.
    const route = findRoute(method, [path, baseUrl + path])
    if (route === undefined) return 'free'
    const row = priced.get(route.pattern)
    const paywall = row === undefined ? undefined : paywalls.get(row.network)
    if (row === undefined || paywall === undefined || paid.has(request)) return 'free'
    const outcome = await admit({ request, response, route, amount: row.amount, paywall })
    if (outcome === 'paid') paid.add(request)
    return outcome
  }

  const middleware: RequestHandler = function paymentMiddlewareHandler(request, response, next) {
    charge(request, response).then(
      (outcome) => {
        if (outcome === 'answered') return
        if (outcome === 'paid' || channels === undefined) return next()
        Promise.resolve(channels(request, response, next)).catch(next)
      },
      (error: unknown) => next(error),
    )
  }
  return Object.assign(middleware, {
    close: async () => {
      await Promise.all([...paywalls.values()].map((paywall) => paywall.close()))
    },
  })
}

function priceRoutes(routes: RoutesConfig): ReadonlyMap<string, PricedRow> {
  return new Map(
    Object.entries(routes).map(([pattern, given]) => {
      const { price, network: name, config } = routeConfigOf(given)
      const network = soldNetwork(name)
      const maxTimeoutSeconds = config?.maxTimeoutSeconds ?? 60
      const amount = readPrice(price, { pattern, network: paymentNetwork(network) })
      return [pattern, { amount, network, maxTimeoutSeconds }]
    }),
  )
}

function soldNetwork(name: string): SoldOn {
  if (name === 'base' || name === 'base-sepolia') return name
  throw new UnsupportedNetworkError(name)
}

type Admitting = {
  readonly request: Request
  readonly response: Response
  readonly route: PricedRoute
  readonly amount: Usdc
  readonly paywall: Paywall
}

async function admit(admitting: Admitting): Promise<'paid' | 'answered'> {
  const { request, response, route, amount, paywall } = admitting
  const { config = {}, pattern } = route
  const gone = abortSignalOf(response)
  const payment = await takePayment({
    paywall,
    request,
    response,
    amount,
    gone,
    item: pattern,
    resource: {
      url: config.resource ?? resourceUrlOf(addressOf(request), paywall.publicUrl),
      description: config.description ?? '',
      mimeType: config.mimeType ?? '',
    },
    showTerms(headers) {
      if (config.customPaywallHtml === undefined || !isBrowser(request)) return false
      response.status(402).set(headers).type('html').send(config.customPaywallHtml)
      return true
    },
  })
  if (payment === undefined) return 'answered'
  response.set('Cache-Control', 'private, no-store')
  recordOutcome(paywall.gate, payment, { request, response })
  return 'paid'
}

function isBrowser(request: Request): boolean {
  const accept = request.get('accept') ?? ''
  return accept.includes('text/html') && (request.get('user-agent') ?? '').includes('Mozilla')
}

/**
 * Books the fixed price once the response is sent. A response with status 400 or above is refunded
 * before its headers are sent, which state this. After a crash in between, recovery refunds the payment,
 * so that every failure here is in the payer's favor.
 */
function recordOutcome(
  gate: PaymentGate,
  payment: PaymentRecord,
  { request, response }: Pick<Admitting, 'request' | 'response'>,
): void {
  // A client that disconnects before the last byte must not get its money back.
  const hasLeft = watchDeparture(request, response)
  let isBooked = false
  const book = (failure: Failure | null): void => {
    if (isBooked) return
    isBooked = true
    const cost = payment.authorization.value
    const booked =
      failure === null
        ? gate.complete(payment, { cost, usage: null, answer: null })
        : gate.fail(payment, { ...failure, answer: null })
    booked.catch(() => undefined)
  }
  const bookAtEnd = (): void => {
    book(hasLeft() ? failureAfterDisconnect(request, response) : failureOf(request, response))
  }
  if (response.closed) return bookAtEnd()
  response.once('close', bookAtEnd)
  beforeHeaders(response, (statusCode) => {
    const failure = failureOfStatus(request, statusCode)
    if (failure === null) return
    const receipt = response.get('PAYMENT-RESPONSE')
    if (receipt !== undefined) response.set('PAYMENT-RESPONSE', withoutCharge(receipt))
    book(failure)
  })
}

type Failure = Omit<ServiceFailure, 'answer'>

/** A client that disconnects pays for a response that had begun. */
function failureAfterDisconnect(request: Request, response: Response): Failure | null {
  if (response.headersSent) return failureOfStatus(request, response.statusCode)
  return { reason: 'client_left', ...faultOfClient(request) }
}

function failureOf(request: Request, response: Response): Failure | null {
  return response.writableFinished
    ? failureOfStatus(request, response.statusCode)
    : { reason: 'answer_broken' }
}

function failureOfStatus(request: Request, statusCode: number): Failure | null {
  if (statusCode < 400) return null
  return { reason: `status_${statusCode}`, ...(statusCode < 500 && faultOfClient(request)) }
}

/** A refund costs gas: a client must not cause that over and over. */
function faultOfClient({ ip }: Request): Pick<Failure, 'faultOf' | 'clientAddress'> {
  const clientAddress = networkOf(ip)
  return { faultOf: 'payer', ...(clientAddress !== undefined && { clientAddress }) }
}

/** A network that this middleware does not sell on. */
export class UnsupportedNetworkError extends Error {
  override readonly name = 'UnsupportedNetworkError'
  readonly code = 'unsupported_network'
  constructor(network: string) {
    super(`payments are accepted on base and base-sepolia, not on ${network}`)
  }
}
