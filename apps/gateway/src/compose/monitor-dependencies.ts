import type { Logger } from '@farebox/http/log'
import type { LedgerStore } from '@farebox/ledger'
import type { PaymentNetwork } from '@farebox/payments'
import { createChainCheck } from '../dependencies/check-chain.ts'
import { createDatabaseCheck } from '../dependencies/check-database.ts'
import {
  createDependencyMonitor,
  type Dependency,
  type DependencyCheck,
  type DependencyMonitor,
} from '../dependencies/dependency-monitor.ts'
import { pingFacilitator } from '../dependencies/ping-facilitator.ts'
import type { SettleRefusals } from '../dependencies/settle-refusals.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Config } from '../settings.ts'
import { ledgerUrl } from './open-store.ts'

export type DependencyParts = {
  readonly config: Config
  readonly rpcUrl: string
  readonly network: PaymentNetwork
  readonly store: LedgerStore
  readonly logger: Logger
  readonly metrics: Metrics
  readonly settleRefusals: SettleRefusals
}

/**
 * Monitors the node, the database and a remote facilitator. An outage does not delay the start: the
 * gateway reports it, and sells once the dependency is back.
 *
 * @throws {WrongChainError} `wrong_chain` if the node serves another chain or token.
 */
export async function monitorDependencies(parts: DependencyParts): Promise<DependencyMonitor> {
  const monitor = createDependencyMonitor({
    dependencies: await dependenciesOf(parts),
    logger: parts.logger,
    onCheck: (name, { status }) => {
      parts.metrics.dependencyUp.set({ name }, status === 'ok' ? 1 : 0)
    },
    ...(parts.network.name === 'devnet' ? localPolls : livePolls),
  })
  await monitor.start()
  const chain = monitor.states().get('chain')
  if (chain?.status !== 'wrong') return monitor
  monitor.stop()
  throw new WrongChainError(chain.reason)
}

const livePolls = { everyMs: 15_000, retryMs: 1_000 }
/** Calls to a local node are free. */
const localPolls = { everyMs: 2_000, retryMs: 200 }

async function dependenciesOf({
  config,
  store,
  rpcUrl,
  network,
  settleRefusals,
}: DependencyParts): Promise<readonly Dependency[]> {
  const { FACILITATOR_URL: url, CDP_API_KEY_ID: cdpKey } = config
  const checkFacilitator = async (): Promise<DependencyCheck> => {
    const refused = settleRefusals.check()
    return refused.status !== 'ok' || url === undefined ? refused : await pingFacilitator(url)
  }
  return [
    { name: 'chain', check: createChainCheck({ rpcUrl, network, now: Date.now }) },
    { name: 'database', check: await createDatabaseCheck(store, ledgerUrl(config)) },
    ...(url === undefined && cdpKey === undefined
      ? []
      : [{ name: 'facilitator', check: checkFacilitator } as const]),
  ]
}

/** `RPC_URL` does not belong to the configured network. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError'
  readonly code = 'wrong_chain'
}
