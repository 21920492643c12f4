import type { Logger } from '@farebox/http/log'
import { catalogLog, type LiveCatalog, openCatalog } from '@farebox/storefront'
import type { Config } from '../settings.ts'
import { openPayerLimits } from './open-payer-limits.ts'
import type { LimitsOf } from './read-payer-limits.ts'

/** The current contents of the operator's files. */
export type OperatorFiles = {
  readonly catalog: LiveCatalog['current']
  readonly limitsOf: LimitsOf
  /** The problems of the files when they were last read. */
  problems(): readonly string[]
  /** Reloads all files now. Changed files are also reloaded automatically. */
  reload(): void
  stop(): Promise<void>
}

/**
 * Opens the operator's files of models, prices and limits, and follows them.
 *
 * @throws {CatalogSettingsError} `invalid_catalog` when a file or a default model cannot be used.
 */
export async function openOperatorFiles(
  config: Config,
  { now, logger }: { readonly now: () => number; readonly logger: Logger },
): Promise<OperatorFiles> {
  const live = await openCatalog({ settings: config, now, onEvent: catalogLog(logger) })
  const limits = await openPayerLimits(config, logger)
  return {
    catalog: live.current,
    limitsOf: limits.limitsOf,
    problems: () => [...live.problems(), ...limits.problems()],
    reload: () => {
      live.reload()
      limits.reload()
    },
    stop: async () => {
      limits.stop()
      await live.stop()
    },
  }
}
