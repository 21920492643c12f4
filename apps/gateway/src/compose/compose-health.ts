import type { OpenRateLimitStore } from '@farebox/http'
import type { DependencyMonitor } from '../dependencies/dependency-monitor.ts'
import { createHealthMonitor, type HealthMonitor } from '../observe/health-monitor.ts'
import type { Metrics } from '../observe/metrics.ts'
import { registerProviderMetrics } from '../observe/provider-metrics.ts'
import { providerHealthOf } from '../providers/provider-health.ts'
import type { ProviderRoutes } from '../providers/provider-routes.ts'
import type { OperatorFiles } from './open-operator-files.ts'

export type HealthParts = {
  readonly dependencies: DependencyMonitor
  readonly limits: OpenRateLimitStore
  readonly providers: ProviderRoutes
  readonly files: OperatorFiles
  readonly metrics: Metrics
  readonly now: () => number
}

/** The health of all parts; that of the providers is in the metrics too. */
export function composeHealth(parts: HealthParts): HealthMonitor {
  const { dependencies, limits, providers, files, metrics, now } = parts
  const providerHealth = providerHealthOf(providers, files.catalog)
  registerProviderMetrics(metrics, providerHealth)
  return createHealthMonitor({
    dependencies: dependencies.states,
    redis: limits.redisState,
    ...providerHealth,
    fileProblems: files.problems,
    now,
  })
}
