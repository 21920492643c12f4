import { getHeapStatistics } from 'node:v8'
import { createBodyBudget, type OpenRateLimitStore, rateLimiter } from '@farebox/http'
import type { Paywall } from '@farebox/payments'
import type { Express } from 'express'
import { createApp } from '../app.ts'
import type { ChainAccess } from '../chain/chain-access.ts'
import { channelMinimumOf } from '../compose/channel-minimum.ts'
import { channelEndpoint } from '../endpoints/channel.ts'
import { paymentEndpoint } from '../endpoints/payment.ts'
import type { HealthMonitor } from '../observe/health-monitor.ts'
import { createRequestLog } from '../observe/request-log.ts'
import { pathMethods } from '../path-methods.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { composePaidRoutes, type PaidRouteParts } from './compose-paid-routes.ts'
import { networkHealth } from './network-health.ts'
import { createFaultReport } from './report-fault.ts'
import { siteFacts } from './site-facts.ts'

export type AppParts = Omit<
  PaidRouteParts,
  'requests' | 'budget' | 'publicUrl' | 'channelMinimum'
> & {
  readonly access: ChainAccess
  readonly payments: Paywall
  readonly health: HealthMonitor
  readonly limits: OpenRateLimitStore
  readonly telemetry: Telemetry | undefined
  readonly url: string
  readonly version: string
}

/** The most bytes of request bodies that are being read at one time. */
const bodyBudgetBytes = 256 * 1024 * 1024
/** The part of the heap for the bodies of requests in progress. Parsed, they may take up twice that. */
const bodiesOfHeap = 1 / 4

/** Every route of the gateway, over the parts that are open. */
export function composeApp(parts: AppParts): Express {
  const { config, logger, metrics, store, storefront, payments, health, version } = parts
  const publicUrl = (config.PUBLIC_URL ?? parts.url).replace(/\/$/, '')
  const inUseBytes = getHeapStatistics().heap_size_limit * bodiesOfHeap
  const budget = createBodyBudget(bodyBudgetBytes, { inUseBytes })
  const startTrace = parts.telemetry?.startTrace
  const requests = createRequestLog({ logger, metrics, network: config.NETWORK, startTrace })
  const channelMinimum = payments.channelEndpoint && channelMinimumOf(config)
  const { devnet } = parts.access
  const reportFault = createFaultReport(logger, metrics)
  return createApp({
    rateLimit: rateLimiter({
      perMinute: config.RATE_LIMIT_PER_MINUTE,
      store: parts.limits.store,
      paths: pathMethods,
    }),
    requestLog: requests.handler,
    trustProxy: config.TRUST_PROXY,
    publicUrl,
    version,
    budget,
    free: {
      storefront,
      network: networkHealth(config, payments),
      condition: health.condition,
    },
    ...composePaidRoutes({ ...parts, requests, budget, publicUrl, channelMinimum }),
    payment: paymentEndpoint(store),
    channel: channelEndpoint({ channelEndpoint: payments.channelEndpoint, publicUrl }),
    siteFacts: () => siteFacts({ config, storefront, channelMinimum, devnet, publicUrl }),
    reportFault: (err, response) => {
      reportFault({ err, requestId: response.get('x-request-id') })
    },
  })
}
