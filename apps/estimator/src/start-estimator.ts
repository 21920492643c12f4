import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Health, openApiDocument, type SiteFacts } from '@farebox/api'
import { freeEndpoints, freePathMethods, missingPage, site } from '@farebox/free-endpoints'
import {
  closeServer,
  cors,
  createBodyBudget,
  createHttpServer,
  errorHandler,
  listen,
  type OpenRateLimitStore,
  openRateLimitStore,
  openResources,
  type ResourceStack,
  rateLimiter,
  unrouted,
} from '@farebox/http'
import type { Logger } from '@farebox/http/log'
import { otlpTarget } from '@farebox/http/settings'
import { formatUsdc } from '@farebox/money'
import {
  catalogLog,
  createStorefront,
  type LiveCatalog,
  openCatalog,
  openTokenCounter,
  type Storefront,
} from '@farebox/storefront'
import { siteDirectory } from '@farebox/web'
import { wireRequestSchemas } from '@farebox/wires'
import express, { type Express, type RequestHandler } from 'express'
import { createClient } from 'redis'
import type { Config } from './settings.ts'
import { version } from './version.ts'

export type Estimator = {
  readonly url: string
  /** Reloads the operator's files now. Changed files are also reloaded automatically. */
  reload(): void
  stop(): Promise<void>
}

/** CAIP-2 names of the networks, as `/health` shows them. */
const networks = {
  devnet: 'eip155:84532',
  'base-sepolia': 'eip155:84532',
  base: 'eip155:8453',
} as const

const bodyBudgetBytes = 256 * 1024 * 1024

/**
 * Starts the free endpoints alone, without a key, a wallet or a ledger. When a part fails, those
 * before it are closed.
 */
export async function startEstimator(config: Config, logger: Logger): Promise<Estimator> {
  return await openResources(
    (stack) => start(stack, config, logger),
    (err) => logger.warn({ event: 'fault', during: 'stop', err }),
  )
}

async function start(stack: ResourceStack, config: Config, logger: Logger): Promise<Estimator> {
  const otlp = stack.adopt(await openTelemetry(config, logger), (exported) => exported?.close())
  const limits = stack.adopt(await openLimits(config, logger), (opened) => opened.close())
  const counter = stack.adopt(await openTokenCounter(config), (opened) => opened.close())
  const settings = { settings: config, now: Date.now, onEvent: catalogLog(logger) }
  const live = stack.adopt(await openCatalog(settings), (catalog) => catalog.stop())
  const storefront = createStorefront({
    settings: config,
    catalog: live.current,
    counter,
    quoteLifetimeMs: 0,
    now: Date.now,
  })
  const server = createHttpServer()
  const url = await listen(server, { host: config.HOST, port: config.PORT })
  stack.adopt(server, drain)
  const limit = rateLimiter({
    perMinute: config.RATE_LIMIT_PER_MINUTE,
    store: limits.store,
    paths: freePathMethods,
  })
  server.on('request', createApp({ config, live, storefront, limit, logger, url, otlp }))
  return { url, reload: live.reload, stop: stack.disposeAsync }
}

/** Lets the requests in progress end, for five seconds. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  await Promise.race([closed, sleep(5_000, undefined, { ref: false })])
  clearInterval(sweep)
  await closeServer(server)
}

function openLimits(config: Config, logger: Logger): Promise<OpenRateLimitStore> {
  const { REDIS_URL: url, RATE_LIMIT_PER_MINUTE: perMinute } = config
  const redis = url === undefined ? undefined : createClient({ url, disableOfflineQueue: true })
  return openRateLimitStore({ perMinute, redis, logger })
}

type Exported = { readonly handler: RequestHandler; close(): Promise<void> }

/** Undefined without an address: then OpenTelemetry's SDK is not loaded. */
async function openTelemetry(config: Config, logger: Logger): Promise<Exported | undefined> {
  const target = otlpTarget(config)
  if (target === undefined) return undefined
  const { openOtlp, traceRequests } = await import('@farebox/http/telemetry')
  const scope = { name: '@farebox/estimator', version }
  const otlp = await openOtlp(target, { config, logger, service: 'farebox-estimator', scope })
  return { handler: traceRequests(otlp, Date.now), close: otlp.close }
}

type AppParts = {
  readonly config: Config
  readonly live: LiveCatalog
  readonly storefront: Storefront
  readonly limit: ReturnType<typeof rateLimiter>
  readonly logger: Logger
  readonly url: string
  readonly otlp: Exported | undefined
}

/** The route table of the estimator. */
function createApp(parts: AppParts): Express {
  const { config, live, storefront, limit, logger, url, otlp } = parts
  const app = express()
  app.disable('etag').disable('x-powered-by')
  app.set('trust proxy', [...config.TRUST_PROXY])
  if (otlp !== undefined) app.use(otlp.handler)
  app.use(cors, limit)
  const network = {
    network: networks[config.NETWORK],
    mainnet: config.NETWORK === 'base',
    cdp: 'not configured',
  }
  app.use(
    freeEndpoints({
      storefront,
      network,
      budget: createBodyBudget(bodyBudgetBytes),
      condition: () => conditionOf(live),
    }),
  )
  const serverUrl = (config.PUBLIC_URL ?? url).replace(/\/$/, '')
  const openApi = openApiDocument({
    serverUrl,
    version,
    endpoints: 'free',
    chatRequests: storefront.chatRequestSchema,
    wireRequests: wireRequestSchemas,
  })
  const document = Buffer.from(JSON.stringify(openApi))
  app.get('/openapi.json', (_, response) => {
    response.type('json').send(document)
  })
  const pages = {
    directory: siteDirectory,
    facts: () => siteFacts(config, storefront, serverUrl),
  }
  app.use(
    site({
      ...pages,
      index: {
        documentation: `${serverUrl}/docs`,
        openapi: `${serverUrl}/openapi.json`,
        models: `${serverUrl}/v1/models`,
        estimate: `${serverUrl}/v1/estimate`,
      },
    }),
  )
  app.use(unrouted(freePathMethods, missingPage(pages)))
  app.use(
    errorHandler((err) => {
      logger.error({ event: 'fault', err })
    }, freePathMethods),
  )
  return app
}

function conditionOf({ problems }: LiveCatalog): Pick<Health, 'status' | 'issues'> {
  if (problems().length === 0) return { status: 'ok' }
  return { status: 'degraded', issues: ['operator_files_refused'] }
}

function siteFacts(config: Config, storefront: Storefront, publicUrl: string): SiteFacts {
  return {
    publicUrl,
    sells: false,
    network: config.NETWORK,
    defaultChatModel: storefront.defaultChatModel,
    defaultImageModel: storefront.defaultImageModel,
    minimumCharge: formatUsdc(storefront.terms.minimumCharge),
    bufferBps: storefront.terms.bufferBps,
  }
}
