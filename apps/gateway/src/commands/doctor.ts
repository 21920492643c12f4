import { checkChain } from '../doctor/check-chain.ts'
import { checkExposure } from '../doctor/check-exposure.ts'
import { checkFacilitator } from '../doctor/check-facilitator.ts'
import { checkLimits } from '../doctor/check-limits.ts'
import { checkProviders } from '../doctor/check-providers.ts'
import { checkRedis } from '../doctor/check-redis.ts'
import { checkSettleMode } from '../doctor/check-settle-mode.ts'
import { checkTelemetry } from '../doctor/check-telemetry.ts'
import type { Finding } from '../doctor/finding.ts'
import { checkLedger } from '../doctor/ledger/check-ledger.ts'
import type { Config } from '../settings.ts'

/**
 * Checks the configuration against the real services, one line each, with a fix for each problem.
 * Returns 0 if there are no problems.
 */
export async function doctor(config: Config): Promise<number> {
  const measured = (
    await Promise.all([
      checkChain(config),
      checkFacilitator(config),
      checkLedger(config),
      checkRedis(config),
      checkProviders(config),
      checkTelemetry(config),
    ])
  ).flat()
  const findings = [
    ...measured,
    ...checkLimits(config),
    ...checkSettleMode(config),
    ...checkExposure(config),
  ]
  process.stdout.write(findings.map(line).join(''))
  return findings.some(({ verdict }) => verdict === 'wrong') ? 1 : 0
}

function line({ verdict, subject, message, fix }: Finding): string {
  const advice = fix === undefined ? '' : `\n${' '.repeat(20)}fix: ${fix}`
  return `${verdict.padEnd(6)} ${subject.padEnd(12)} ${message}${advice}\n`
}
