import type { Logger } from '@farebox/http/log'
import { type FollowedFiles, followFiles } from '@farebox/storefront'
import type { Config } from '../settings.ts'
import { type LimitsOf, readPayerLimits } from './read-payer-limits.ts'

export type OpenPayerLimits = FollowedFiles & { readonly limitsOf: LimitsOf }

const unlimited: LimitsOf = () => ({ requestsPerMinute: null, spendPerDay: null })

/** Opens the limits of payers, and follows their file. */
export async function openPayerLimits(
  { PAYER_LIMITS: path }: Config,
  logger: Pick<Logger, 'info' | 'warn'>,
): Promise<OpenPayerLimits> {
  let limitsOf = readPayerLimits(path).value ?? unlimited

  function load(): readonly string[] {
    const { value, problems } = readPayerLimits(path)
    limitsOf = value ?? limitsOf
    return problems.map((text) => `PAYER_LIMITS: ${text}`)
  }

  const files = await followFiles({
    paths: path === undefined ? [] : [path],
    load,
    onLoad: (problems) => {
      if (problems.length === 0) logger.info({ event: 'operator_files_loaded', file: path })
      else {
        const reason = `${problems.join(' ')} The previous limits stay in force.`
        logger.warn({ event: 'operator_files_refused', reason })
      }
    },
    everyMs: 2_000,
  })
  return { ...files, limitsOf: (payer) => limitsOf(payer) }
}
