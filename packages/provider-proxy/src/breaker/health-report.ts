/** The breaker of a provider opened or closed; with `model`, that of this model alone. */
export type HealthChange = {
  readonly state: 'open' | 'closed'
  /** The provider's name of the model. */
  readonly model?: string
  /** The failure that opened it, never in the provider's words. */
  readonly reason?: string
}

/** Reports each opening once, however often probes fail, until the breaker closes. */
export type HealthReport = {
  /** Without `model`, the breaker of the provider itself. */
  opened(model: string | undefined, error: unknown): void
  closed(model: string | undefined): void
}

export function createHealthReport(onChange?: (change: HealthChange) => void): HealthReport {
  const open = new Set<string | undefined>()
  return {
    opened(model, error) {
      if (open.has(model)) return
      open.add(model)
      const reason = error instanceof Error ? error.message : undefined
      onChange?.({ state: 'open', ...(model && { model }), ...(reason && { reason }) })
    },
    closed(model) {
      if (open.delete(model)) onChange?.({ state: 'closed', ...(model && { model }) })
    },
  }
}
