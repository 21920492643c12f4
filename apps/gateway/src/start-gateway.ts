import { type Sandbox, startSandbox } from '@farebox/devnet/sandbox'
import { healthEndpoints } from '@farebox/free-endpoints'
import { openResources, type ResourceStack } from '@farebox/http'
import type { Logger } from '@farebox/http/log'
import type { LedgerStore } from '@farebox/ledger'
import { type Paywall, paymentNetwork } from '@farebox/payments'
import { signingAddress } from '@farebox/payments/chain'
import { findSoldModels, openTokenCounter } from '@farebox/storefront'
import { type ChainAccess, openChain } from './chain/chain-access.ts'
import { readBeginning } from './chain/read-beginning.ts'
import { refuseOtherTreasury } from './chain/refuse-other-treasury.ts'
import { composeHealth } from './compose/compose-health.ts'
import { composeObserver } from './compose/compose-observer.ts'
import { composePayments } from './compose/compose-payments.ts'
import { composeStorefront } from './compose/compose-storefront.ts'
import { isSandboxOn } from './compose/is-sandbox-on.ts'
import { monitorDependencies } from './compose/monitor-dependencies.ts'
import { openOperatorFiles } from './compose/open-operator-files.ts'
import { openRateLimits } from './compose/open-rate-limits.ts'
import { openStore } from './compose/open-store.ts'
import { ledgerLog } from './dependencies/ledger-log.ts'
import { createSettleRefusals } from './dependencies/settle-refusals.ts'
import { registerChannelMetrics } from './observe/channel-metrics.ts'
import { createMetrics } from './observe/metrics.ts'
import { providerLog } from './observe/provider-log.ts'
import { createOpenRequests } from './paid/open-requests.ts'
import { composeProviders } from './providers/compose-providers.ts'
import { composeApp } from './routes/compose-app.ts'
import { drainWithin } from './routes/drain-within.ts'
import { startMetricsServer } from './routes/metrics-server.ts'
import { networkHealth } from './routes/network-health.ts'
import { openStartingServer } from './routes/starting-server.ts'
import type { Config } from './settings.ts'
import { openTelemetry } from './telemetry/open-telemetry.ts'

export type Gateway = {
  readonly url: string
  readonly access: ChainAccess
  readonly store: LedgerStore
  readonly payments: Paywall
  readonly sandbox: Sandbox | undefined
  /** The model of chat requests that name none; absent if no chat model is sold. */
  readonly chatModel: string | undefined
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

/** Starts everything in the configuration and listens. If a part fails, closes those before it. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  return await openResources(
    (stack) => start(options, stack),
    (err) => options.logger.warn({ event: 'fault', during: 'stop', err }),
  )
}

const close = (part: { close(): unknown }) => part.close()
const stop = (part: { stop(): unknown }) => part.stop()

async function start(options: GatewayOptions, stack: ResourceStack): Promise<Gateway> {
  const { config, drainMs = 25_000 } = options
  // Before the chain is started, so that a port in use is reported at once.
  const server = stack.adopt(await openStartingServer(config), close)
  const parts = await openParts(options, stack)
  const { access, store, payments, sandbox, storefront, reload } = parts
  // Adopted again, so that it is closed before the parts that its requests need.
  stack.adopt(server, close)
  const { url } = server
  const openRequests = createOpenRequests()
  server.serve(composeApp({ ...options, ...parts, openRequests, url }))
  const { HOST: host, METRICS_PORT: port } = config
  if (port !== undefined) {
    const { condition } = parts.health
    const network = networkHealth(config, payments)
    const probes = healthEndpoints({ storefront, network, condition })
    const metrics = await startMetricsServer(parts.metrics, { host, port, probes })
    stack.adopt(metrics, close)
    options.logger.info({ event: 'metrics_listening', url: metrics.url })
  }
  payments.start()
  stack.adopt(payments, (paywall) => paywall.stop({ drainMs: 2_000 }))
  stack.adopt(openRequests, (open) => drainWithin(open, drainMs))
  stack.adopt(parts.health, (monitor) => {
    monitor.markStopping()
  })
  const chatModel = findSoldModels(storefront.defaultChatModel, storefront)[0]?.id
  return { url, access, store, payments, sandbox, chatModel, reload, stop: stack.disposeAsync }
}

/** What a request needs, in the order in which it is opened. */
async function openParts({ config, logger, version }: GatewayOptions, stack: ResourceStack) {
  const now = Date.now
  const access = stack.adopt(await openChain(config), close)
  const store = stack.adopt(await openStore(config, { notify: ledgerLog(logger) }), close)
  const { payees } = await readBeginning(store)
  refuseOtherTreasury(payees, signingAddress(access.treasuryKey))
  const metrics = createMetrics()
  const { registry } = metrics
  registerChannelMetrics(registry, store)
  // Opened before the parts that it observes, so that their last events are exported too.
  const telemetry = await openTelemetry({ config, logger, version, registry, now })
  stack.adopt(telemetry, (exported) => exported?.close())
  const limits = stack.adopt(await openRateLimits({ config, logger, metrics }), close)
  const node = { rpcUrl: access.rpcUrl, network: paymentNetwork(config.NETWORK) }
  const settleRefusals = createSettleRefusals(now)
  const dependencies = stack.adopt(
    await monitorDependencies({ config, ...node, store, logger, metrics, settleRefusals }),
    stop,
  )
  const sandbox = isSandboxOn(config) ? await startSandbox() : undefined
  stack.adopt(sandbox, (running) => running?.stop())
  const providers = stack.adopt(
    composeProviders(config, sandbox, providerLog(logger, metrics)),
    close,
  )
  const files = stack.adopt(await openOperatorFiles(config, { now, logger }), stop)
  const { catalog, limitsOf, reload } = files
  const health = composeHealth({ dependencies, limits, providers, files, metrics, now })
  const onEvent = composeObserver({ logger, metrics, telemetry, health, settleRefusals, now })
  const payments = stack.adopt(
    await composePayments({ config, access, limitsOf, store, clock: now, onEvent }),
    close,
  )
  const counter = stack.adopt(await openTokenCounter(config), close)
  const storefront = composeStorefront({ config, catalog, providers, counter, now })
  return {
    access,
    store,
    metrics,
    telemetry,
    limits,
    sandbox,
    providers,
    health,
    payments,
    storefront,
    reload,
  }
}
