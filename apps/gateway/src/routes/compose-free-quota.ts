import type { Logger } from '@farebox/http/log'
import { formatUsdc } from '@farebox/money'
import type { LossMonitor } from '../observe/loss-monitor.ts'
import type { Metrics } from '../observe/metrics.ts'
import { createFreeQuota, type FreeQuotaOptions } from '../paid/free/free-quota.ts'
import type { FreeDeps } from '../paid/free/serve-free.ts'
import type { Config } from '../settings.ts'
import { createFaultReport } from './report-fault.ts'

export type ComposeFreeQuotaOptions = Pick<FreeQuotaOptions, 'store' | 'now'> & {
  readonly config: Config
  readonly logger: Logger
  readonly metrics: Metrics
  readonly lossMonitor: LossMonitor
}

/** The configured free quota; undefined if every call is paid. */
export function composeFreeQuota(options: ComposeFreeQuotaOptions): FreeDeps | undefined {
  const { config, store, now, logger, metrics, lossMonitor } = options
  const { FREE_QUOTA_USDC: perAddress, FREE_QUOTA_TOTAL_USDC: inAll } = config
  if (perAddress === undefined) return undefined
  const onUsedUp: FreeQuotaOptions['onUsedUp'] = (used) => {
    metrics.payments.inc({ event: 'free_quota_used_up' })
    const figures = { usedUsdc: formatUsdc(used), totalUsdc: formatUsdc(inAll) }
    logger.warn({ event: 'free_quota_used_up', ...figures })
  }
  const minimumCharge = config.MIN_CHARGE_USDC
  const reportFault = createFaultReport(logger, metrics)
  return {
    quota: createFreeQuota({ store, perAddress, inAll, minimumCharge, now, onUsedUp }),
    lossMonitor,
    count: ({ model, cost, usage }) => {
      metrics.freeCalls.inc({ model })
      metrics.free.inc({ model }, Number(cost) / 1e6)
      metrics.tokens.inc({ model, direction: 'input' }, usage.inputTokens ?? 0)
      metrics.tokens.inc({ model, direction: 'output' }, usage.outputTokens ?? 0)
    },
    report: (err, response) => {
      reportFault({ err, requestId: response.get('x-request-id') })
    },
  }
}
