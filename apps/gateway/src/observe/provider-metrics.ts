import { Gauge } from 'prom-client'
import type { HealthSources } from './health-monitor.ts'
import type { Metrics } from './metrics.ts'

/**
 * Adds the state of the providers to the metrics, read when these are. What is counted by provider
 * or, of money, by model that is sold starts at zero, so that Prometheus sees the first sale.
 */
export function registerProviderMetrics(
  metrics: Metrics,
  sources: Pick<HealthSources, 'providers' | 'unavailableModels' | 'soldModels'>,
): void {
  const registers = [metrics.registry]
  for (const [provider] of sources.providers()) metrics.providerKeysRejected.inc({ provider }, 0)
  countFromZero(metrics, sources.soldModels())
  new Gauge({
    name: 'farebox_provider_up',
    help: '1 while the provider works; 0 while it fails, is tried again, or rejects its key',
    labelNames: ['provider'],
    registers,
    collect() {
      for (const [provider, state] of sources.providers()) {
        this.set({ provider }, state === 'ok' ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'farebox_models_listed',
    help: 'Models that are listed, because one of their providers is enabled',
    registers,
    collect() {
      const sold = sources.soldModels()
      // The operator's files may have added some.
      countFromZero(metrics, sold)
      this.set(sold.length)
    },
  })
  new Gauge({
    name: 'farebox_models_unavailable',
    help: 'Models that are listed and that no provider can serve now',
    registers,
    collect() {
      this.set(sources.unavailableModels())
    },
  })
}

function countFromZero(metrics: Metrics, models: readonly string[]): void {
  const { sales, revenue, paid, upstream } = metrics
  for (const model of models) {
    for (const counter of [sales, revenue, paid, upstream]) counter.inc({ model }, 0)
  }
}
