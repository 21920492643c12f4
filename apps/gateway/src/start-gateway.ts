import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import {
  closeServer,
  createBodyBudget,
  createHttpServer,
  errorHandler,
  errorResponse,
  listen,
  type OpenRateLimitStore,
  openRateLimitStore,
  type RateLimitStoreOptions,
  rateLimiter,
} from '@farebox/http'
import type { Logger } from '@farebox/http/log'
import type { LedgerStore } from '@farebox/ledger'
import { type Observer, type Paywall, paymentNetwork } from '@farebox/payments'
import { openTokenCounter, type Storefront } from '@farebox/storefront'
import { translatedRequestSchema } from '@farebox/wires'
import type { Express } from 'express'
import { createClient } from 'redis'
import { createApp } from './app.ts'
import { chatCompletions } from './chat/chat-completions.ts'
import { type ChainAccess, openChain } from './compose/chain-access.ts'
import { composeFreeQuota } from './compose/compose-free-quota.ts'
import { channelMinimumOf, composePayments } from './compose/compose-payments.ts'
import { composeStorefront } from './compose/compose-storefront.ts'
import { monitorDependencies } from './compose/monitor-dependencies.ts'
import { openOperatorFiles } from './compose/open-operator-files.ts'
import { openStore } from './compose/open-store.ts'
import { siteFacts } from './compose/site-facts.ts'
import { createStack, type Stack } from './compose/stack.ts'
import type { DependencyMonitor } from './dependencies/dependency-monitor.ts'
import { channelEndpoint, channelFiguresEndpoint } from './endpoints/channel.ts'
import { paymentEndpoint } from './endpoints/payment.ts'
import { imagesGenerate } from './images/images-generate.ts'
import { registerChannelMetrics } from './observe/channel-metrics.ts'
import { createHealthMonitor, type HealthMonitor } from './observe/health-monitor.ts'
import { createLossMonitor } from './observe/loss-monitor.ts'
import { createMetrics, type Metrics, startMetricsServer } from './observe/metrics.ts'
import { paymentLog } from './observe/payment-log.ts'
import { paymentMetrics } from './observe/payment-metrics.ts'
import { providerLog } from './observe/provider-log.ts'
import { registerProviderMetrics } from './observe/provider-metrics.ts'
import { createRequestLog } from './observe/request-log.ts'
import { createOpenRequests, type OpenRequests } from './paid/open-requests.ts'
import { paidRoute } from './paid/paid-route.ts'
import { createRefundFault } from './paid/refund-fault.ts'
import { composeProviders, hasProviders } from './providers/compose-providers.ts'
import { providerHealthOf } from './providers/provider-health.ts'
import type { ProviderRoutes } from './providers/provider-routes.ts'
import type { Config } from './settings.ts'
import { openTelemetry } from './telemetry/open-telemetry.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { imageGenerations } from './wires/image-generations.ts'
import { messages } from './wires/messages.ts'
import { responses } from './wires/responses.ts'

export type Gateway = {
  readonly url: string
  readonly access: ChainAccess
  readonly store: LedgerStore
  readonly payments: Paywall
  readonly sandbox: Sandbox | undefined
  /** The model of requests that name none. */
  readonly chatModel: string
  /** Reloads the operator's files now. Changed files are also reloaded automatically. */
  reload(): void
  /**
   * Accepts no new paid requests, waits for those in progress, aborts them after the drain time,
   * and closes everything in reverse order.
   */
  stop(): Promise<void>
}

export type GatewayOptions = {
  readonly config: Config
  readonly logger: Logger
  readonly version: string
  /** How long `stop` waits for requests in progress, in milliseconds. */
  readonly drainMs?: number
}

/** The most bytes of request bodies in memory at one time. */
const bodyBudgetBytes = 256 * 1024 * 1024

/** Starts everything in the configuration and listens. When a part fails, those before it are closed. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const stack = createStack()
  try {
    return await start(options, stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function start(options: GatewayOptions, stack: Stack): Promise<Gateway> {
  const { config, drainMs = 25_000 } = options
  const server = createHttpServer()
  // Before the chain is started, so that a port in use is reported at once.
  const url = await listen(server, { host: config.HOST, port: config.PORT })
  const close = closeOnce(server)
  stack.adopt(server, close)
  server.on('request', respondStarting)
  const parts = await openParts(options, stack)
  const { access, store, payments, sandbox, storefront, metrics, health } = parts
  stack.adopt(server, close)
  const openRequests = createOpenRequests()
  server.off('request', respondStarting)
  server.on('request', composeApp({ ...options, ...parts, openRequests, url }))
  if (config.METRICS_PORT !== undefined) {
    stack.adopt(await startMetricsServer(metrics, config), (running) => running.close())
  }
  payments.start()
  stack.adopt(payments, (paywall) => paywall.stop({ drainMs: 2_000 }))
  stack.adopt(openRequests, (open) => drainWithin(open, drainMs))
  stack.adopt(health, (monitor) => {
    monitor.markStopping()
  })
  const chatModel = storefront.defaultChatModel
  const { reload } = parts
  return { url, access, store, payments, sandbox, chatModel, reload, stop: stack.disposeAsync }
}

type Parts = {
  readonly access: ChainAccess
  readonly store: LedgerStore
  readonly metrics: Metrics
  readonly telemetry: Telemetry | undefined
  readonly health: HealthMonitor
  readonly payments: Paywall
  readonly sandbox: Sandbox | undefined
  readonly providers: ProviderRoutes
  readonly storefront: Storefront
  readonly limits: OpenRateLimitStore
  readonly reload: () => void
}

async function openParts(options: GatewayOptions, stack: Stack): Promise<Parts> {
  const { config, logger } = options
  const now = Date.now
  const access = stack.adopt(await openChain(config), (chain) => chain.close())
  const store = stack.adopt(await openStore(config), (ledger) => ledger.close())
  const { metrics, telemetry } = await openMetrics(options, stack)
  const limits = stack.adopt(
    await openRateLimitStore(rateLimitOptions(config, logger, metrics)),
    (open) => open.close(),
  )
  const network = paymentNetwork(config.NETWORK)
  const dependencies: DependencyMonitor = stack.adopt(
    await monitorDependencies({ config, rpcUrl: access.rpcUrl, network, store, logger, metrics }),
    (monitor) => {
      monitor.stop()
    },
  )
  const sandbox = wantsSandbox(config)
    ? stack.adopt(await startSandbox(), (running) => running.stop())
    : undefined
  const providers = stack.adopt(
    composeProviders(config, sandbox, providerLog(logger, metrics)),
    (set) => set.close(),
  )
  const files = stack.adopt(await openOperatorFiles(config, { now, logger }), (open) => open.stop())
  const providerHealth = providerHealthOf(providers, files.catalog)
  registerProviderMetrics(metrics.registry, providerHealth)
  registerChannelMetrics(metrics.registry, store)
  const health = createHealthMonitor({
    dependencies: dependencies.states,
    redis: limits.redisState,
    ...providerHealth,
    fileProblems: files.problems,
  })
  const onEvent = composeObserver({ logger, metrics, telemetry, health })
  const payments = stack.adopt(
    await composePayments({ config, access, limitsOf: files.limitsOf, store, clock: now, onEvent }),
    (paywall) => paywall.close(),
  )
  const counter = stack.adopt(await openTokenCounter(config), (tokens) => tokens.close())
  const { catalog, reload } = files
  const storefront = composeStorefront({ config, catalog, providers, counter, now })
  return {
    access,
    store,
    metrics,
    telemetry,
    health,
    payments,
    sandbox,
    providers,
    storefront,
    limits,
    reload,
  }
}

/** Before whatever is observed, so that its last events are exported too. */
async function openMetrics(
  options: GatewayOptions,
  stack: Stack,
): Promise<Pick<Parts, 'metrics' | 'telemetry'>> {
  const metrics = createMetrics()
  const { registry } = metrics
  const telemetry = await openTelemetry({ ...options, registry, now: Date.now })
  stack.adopt(telemetry, (exported) => exported?.close())
  return { metrics, telemetry }
}

type Observing = Pick<Parts, 'metrics' | 'telemetry' | 'health'> & Pick<GatewayOptions, 'logger'>

function composeObserver({ logger, metrics, telemetry, health }: Observing): Observer {
  const observers: readonly Observer[] = [
    paymentLog(logger),
    paymentMetrics(metrics),
    health.observe,
    ...(telemetry === undefined ? [] : [telemetry.observe]),
  ]
  return (notice) => {
    for (const observe of observers) observe(notice)
  }
}

function rateLimitOptions(config: Config, logger: Logger, metrics: Metrics): RateLimitStoreOptions {
  const { REDIS_URL: url, RATE_LIMIT_PER_MINUTE: perMinute } = config
  return {
    perMinute,
    redis: url === undefined ? undefined : createClient({ url, disableOfflineQueue: true }),
    logger,
    onFallback: () => {
      metrics.rateLimitFallbacks.inc()
    },
  }
}

type AppParts = Parts &
  GatewayOptions & { readonly openRequests: OpenRequests; readonly url: string }

function composeApp(parts: AppParts): Express {
  const { config, logger, metrics, store, storefront, providers, openRequests } = parts
  const { payments, access } = parts
  const { gate, channelEndpoint: channels } = payments
  const publicUrl = (config.PUBLIC_URL ?? parts.url).replace(/\/$/, '')
  const budget = createBodyBudget(bodyBudgetBytes)
  const report = (err: unknown, { id: paymentId }: { readonly id: string }): void => {
    logger.error({ event: 'fault', err, paymentId })
  }
  const startTrace = parts.telemetry?.startTrace
  const lossMonitor = createLossMonitor(logger, metrics)
  const requests = createRequestLog({ logger, metrics, network: config.NETWORK, startTrace })
  const paid = {
    gate,
    budget,
    publicUrl,
    openRequests,
    lossMonitor,
    free: composeFreeQuota({ config, store, now: Date.now, logger, metrics, lossMonitor }),
    refundFault: createRefundFault({ gate, report }),
    prices: storefront.catalog,
    observationOf: requests.observationOf,
    salesObstacle: parts.health.salesObstacle,
  }
  const channelMinimum = channels && channelMinimumOf(config)
  const selling = { storefront, providers, channelMinimum }
  const chat = chatCompletions(selling)
  const translated = chatCompletions({ ...selling, schema: translatedRequestSchema })
  const images = imagesGenerate(selling)
  return createApp({
    rateLimit: rateLimiter({ perMinute: config.RATE_LIMIT_PER_MINUTE, store: parts.limits.store }),
    requestLog: requests.handler,
    trustProxy: config.TRUST_PROXY,
    publicUrl,
    version: parts.version,
    budget,
    free: {
      storefront,
      network: networkHealth(config, payments),
      condition: parts.health.condition,
    },
    chatCompletions: paidRoute(chat, paid),
    responses: paidRoute(responses(translated), paid),
    messages: paidRoute(
      messages(translated, () => storefront.defaultChatModel),
      paid,
    ),
    imagesGenerate: paidRoute(images, paid),
    imageGenerations: paidRoute(imageGenerations(images, storefront.now), paid),
    payment: paymentEndpoint(store),
    channel: channelEndpoint({ channels, publicUrl }),
    channelFigures: channelFiguresEndpoint(channels),
    siteFacts: () => siteFacts({ ...selling, config, devnet: access.devnet, publicUrl }),
    errorHandler: errorHandler((err, response) => {
      logger.error({ event: 'fault', err, requestId: response.get('x-request-id') })
    }),
  })
}

function wantsSandbox(config: Config): boolean {
  if (config.SANDBOX_PROVIDER !== undefined) return config.SANDBOX_PROVIDER === 'on'
  return config.NETWORK === 'devnet' && !hasProviders(config)
}

function networkHealth(config: Config, { network }: Paywall) {
  return {
    network: network.caip2,
    mainnet: config.NETWORK === 'base',
    cdp: config.CDP_API_KEY_ID === undefined ? 'not configured' : 'configured',
  }
}

/** Responds until every part is open, so that clients do not wait. */
function respondStarting(_: IncomingMessage, response: ServerResponse): void {
  const { status, body } = errorResponse(503, {
    code: 'starting',
    message: 'The service is starting. No money moved. Repeat the request.',
  })
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '2' }
  response.writeHead(status, headers).end(JSON.stringify(body))
}

/** The server is closed before the parts that its requests need, also if they never opened. */
function closeOnce(server: Server): () => Promise<void> {
  let closing: Promise<void> | undefined
  return () => (closing ??= closeServer(server))
}

async function drainWithin(openRequests: OpenRequests, drainMs: number): Promise<void> {
  const giveUp = setTimeout(() => {
    openRequests.abort()
  }, drainMs)
  await openRequests.drain()
  clearTimeout(giveUp)
}
