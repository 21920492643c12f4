import { Gauge, type Registry } from 'prom-client'
import type { HealthSources } from './health-monitor.ts'

/** Adds the state of the providers to a registry. It is read when the metrics are. */
export function registerProviderMetrics(
  registry: Registry,
  sources: Pick<HealthSources, 'providers' | 'unavailableModels'>,
): void {
  const registers = [registry]
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
    name: 'farebox_models_unavailable',
    help: 'Models that are listed and that no provider can serve now',
    registers,
    collect() {
      this.set(sources.unavailableModels())
    },
  })
}
