import { UpstreamError } from '../provider/upstream-error.ts'
import { type Breaker, type BreakerOptions, createBreaker } from './breaker.ts'
import { createHealthReport, type HealthChange } from './health-report.ts'

/** The health of a provider and of each of its models. */
export type ProviderHealth = {
  readonly state: Breaker['state']
  /** The provider rejected its key, and has completed nothing since. */
  readonly isKeyRejected: boolean
  available(upstreamModel?: string): boolean
  /** Records the start of a call: after a pause it is the probe. */
  began(upstreamModel: string): void
  succeeded(upstreamModel: string): void
  /** `blamed` takes precedence over what the error says. */
  failed(upstreamModel: string, error: unknown, blamed?: Blame): void
}

/** When the breakers of a provider open, and what they call then. */
export type HealthOptions = BreakerOptions & {
  /** Whether calls carry a key, which the provider may reject; true by default. */
  readonly hasKey?: boolean
  /** Called each time the provider rejects its key. */
  readonly onKeyRejected?: () => void
  /** Called when a breaker opens, and when it closes again. */
  readonly onChange?: (change: HealthChange) => void
}

/** One breaker for the provider, one for each model that failed. */
export function createProviderHealth(options: HealthOptions = {}): ProviderHealth {
  const provider = createBreaker(options)
  const models = new Map<string, Breaker>()
  const breakerOf = (model: string) => ofModel(models, model, options)
  const report = createHealthReport(options.onChange)
  let isKeyRejected = false

  function count(model: string, blamed: Blame): void {
    switch (blamed) {
      case 'none':
        return
      case 'key':
        if (options.hasKey === false) return provider.failed()
        isKeyRejected = true
        options.onKeyRejected?.()
        return provider.tripped()
      case 'funds':
        return provider.tripped()
      case 'account':
        return provider.failed()
      case 'model':
        return breakerOf(model).failed()
      case 'provider':
        breakerOf(model).failed()
        return provider.failed()
    }
  }

  return {
    get state() {
      return provider.state
    },
    get isKeyRejected() {
      return isKeyRejected
    },
    available(model) {
      const breaker = model === undefined ? undefined : models.get(model)
      return (breaker?.available() ?? true) && provider.available()
    },
    began(model) {
      models.get(model)?.began()
      provider.began()
    },
    succeeded(model) {
      isKeyRejected = false
      provider.succeeded()
      models.delete(model)
      report.closed(undefined)
      report.closed(model)
    },
    failed(model, error, blamed = blame(error)) {
      count(model, blamed)
      if (provider.state !== 'closed') report.opened(undefined, error)
      else if (models.get(model)?.state === 'open') report.opened(model, error)
    },
  }
}

/** The breaker of a model, which begins with its first failure. */
function ofModel(models: Map<string, Breaker>, model: string, options: HealthOptions): Breaker {
  const breaker = models.get(model) ?? createBreaker(options)
  models.set(model, breaker)
  return breaker
}

export type Blame = 'none' | 'key' | 'funds' | 'account' | 'model' | 'provider'

function blame(error: unknown): Blame {
  if (!(error instanceof UpstreamError)) return 'none'
  if (error.isKeyRejected) return 'key'
  if (error.isAccountEmpty) return 'funds'
  switch (error.code) {
    case 'aborted':
    case 'upstream_rejected':
    case 'upstream_image_unreachable':
    case 'upstream_unusable':
    case 'upstream_withheld':
    case 'upstream_overtime':
      return 'none'
    case 'upstream_unavailable':
    case 'upstream_timeout':
    case 'upstream_truncated':
      return blameStatus(error.status)
  }
}

function blameStatus(status: number | undefined): Blame {
  switch (status) {
    case 402:
    case 403:
      return 'account'
    case 404:
    case 429:
      return 'model'
    default:
      return 'provider'
  }
}
