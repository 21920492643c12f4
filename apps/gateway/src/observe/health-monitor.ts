import type { Health, ProviderState } from '@farebox/api'
import type { ChannelObstacle, PaymentNotice, TreasuryFault } from '@farebox/payments'
import type { DependencyCheck, DependencyName } from '../dependencies/dependency-monitor.ts'
import { isUnreadableRow } from './fault-log.ts'

/** Why nothing can be sold at the moment. */
export type SalesObstacle =
  | 'sales_stopped'
  | 'chain_unavailable'
  | 'chain_wrong'
  | 'database_unavailable'
  | 'facilitator_unavailable'

/** What clients see of the state of the gateway. */
export type HealthMonitor = {
  observe(notice: PaymentNotice): void
  /** Reports from now on that the gateway is shutting down. */
  markStopping(): void
  /** `degraded` while something is wrong, with what it is. */
  readonly condition: () => Omit<Health, 'timestamp'>
  /** Why sales are stopped; `undefined` while the gateway sells. */
  readonly salesObstacle: () => SalesObstacle | undefined
}

export type HealthSources = {
  readonly dependencies: () => ReadonlyMap<DependencyName, DependencyCheck>
  /** `undefined` when Redis is not configured. */
  readonly redis: () => 'ok' | 'unavailable' | undefined
  readonly providers: () => ReadonlyMap<string, ProviderState>
  /** How many listed models no provider can serve now. */
  readonly unavailableModels: () => number
  /** The ids of the listed models: those with an enabled provider. */
  readonly soldModels: () => readonly string[]
  /** What is wrong with the operator's files. */
  readonly fileProblems: () => readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A row that cannot be read is reported at least this often. */
const rowReportMs = 15 * 60_000

/** Collects the state of the dependencies, of the accounts, and of the sales and refunds. */
export function createHealthMonitor(sources: HealthSources): HealthMonitor {
  const { dependencies, redis, providers, fileProblems } = sources
  const stopped = new Set<TreasuryFault>()
  const channelObstacles = new Set<ChannelObstacle>()
  let refundsPaused = false
  const rows = watchRows(sources.now)
  let balances: Balances = { treasury: 'unknown', relayer: 'unknown' }
  let stopping = false

  function salesObstacles(): readonly SalesObstacle[] {
    return [
      ...(stopped.size > 0 ? (['sales_stopped'] as const) : []),
      ...[...dependencies()].flatMap(([name, check]) => obstacleOf(name, check)),
    ]
  }

  return {
    observe: (notice) => {
      if (notice.type === 'sales_stopped') stopped.add(notice.reason)
      if (notice.type === 'sales_resumed') stopped.delete(notice.reason)
      if (notice.type === 'channels_stopped') channelObstacles.add(notice.reason)
      if (notice.type === 'channels_resumed') channelObstacles.delete(notice.reason)
      rows.observe(notice)
      if (notice.type === 'refunds_paused') refundsPaused = true
      if (notice.type === 'refunds_resumed') refundsPaused = false
      balances = balancesAfter(balances, notice)
    },
    markStopping: () => {
      stopping = true
    },
    condition: () => {
      const redisState = redis()
      const providerStates = providers()
      const issues: Health['issues'] = [
        ...(stopping ? (['stopping'] as const) : []),
        ...salesObstacles(),
        ...(channelObstacles.size > 0 ? (['channels_stopped'] as const) : []),
        ...(refundsPaused ? (['refunds_paused'] as const) : []),
        ...rows.issues(),
        ...providerIssues(providerStates, sources),
        ...(fileProblems().length > 0 ? (['operator_files_refused'] as const) : []),
        ...(redisState === 'unavailable' ? (['redis_unavailable'] as const) : []),
      ]
      const states = [...dependencies()].map(([name, { status }]) => [name, status] as const)
      return {
        status: issues.length === 0 ? 'ok' : 'degraded',
        ...(issues.length > 0 && { issues }),
        dependencies: {
          ...Object.fromEntries(states),
          ...(redisState && { redis: redisState }),
          ...shownBalances(balances, stopped),
        },
        providers: Object.fromEntries(providerStates),
      }
    },
    salesObstacle: () => salesObstacles()[0],
  }
}

/** Whether a row of the ledger was reported lately that cannot be read. */
function watchRows(now: HealthSources['now']) {
  let reportedAt = Number.NEGATIVE_INFINITY
  return {
    observe(notice: PaymentNotice): void {
      if (notice.type === 'fault' && isUnreadableRow(notice.error)) reportedAt = now()
    },
    issues: () => (now() - reportedAt < rowReportMs ? (['rows_unreadable'] as const) : []),
  }
}

type BalanceState = 'unknown' | 'ok' | 'low'
/** Without its own relayer, the gateway has no relayer balance. */
type Balances = { readonly treasury: BalanceState; readonly relayer?: BalanceState }

function balancesAfter(balances: Balances, notice: PaymentNotice): Balances {
  // A low balance is reported right after this notice.
  if (notice.type === 'balances_read') {
    return { treasury: 'ok', ...(notice.relayer !== null && { relayer: 'ok' }) }
  }
  if (notice.type === 'treasury_low') return { ...balances, treasury: 'low' }
  return notice.type === 'relayer_low' ? { ...balances, relayer: 'low' } : balances
}

/** What stops sales is found between two readings of the balances, and may need more than their minimum. */
function shownBalances(balances: Balances, stopped: ReadonlySet<TreasuryFault>): Balances {
  return {
    ...balances,
    ...(stopped.has('treasury_short') && { treasury: 'low' }),
    ...(stopped.has('relayer_empty') && { relayer: 'low' }),
  }
}

/** A provider that fails becomes an issue only once a model has nothing else. */
function providerIssues(
  providers: ReadonlyMap<string, ProviderState>,
  { unavailableModels, soldModels }: HealthSources,
): NonNullable<Health['issues']> {
  return [
    ...([...providers.values()].includes('key_rejected')
      ? (['provider_key_rejected'] as const)
      : []),
    ...(unavailableModels() > 0 || soldModels().length === 0
      ? (['models_unavailable'] as const)
      : []),
  ]
}

function obstacleOf(name: DependencyName, { status }: DependencyCheck): readonly SalesObstacle[] {
  if (status === 'ok') return []
  return status === 'wrong' ? ['chain_wrong'] : [`${name}_unavailable`]
}
