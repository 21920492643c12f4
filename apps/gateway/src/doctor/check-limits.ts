import type { Config } from '../settings.ts'
import type { Finding } from './finding.ts'

/** Checks for limits that are valid alone but contradict each other. */
export function checkLimits(config: Config): readonly Finding[] {
  const {
    REFUND_CAP_USDC: cap,
    REFUND_CAP_PER_HOUR_USDC: hourly,
    REFUND_MIN_USDC: minimum,
    MIN_CHARGE_USDC: charge,
    REPLAY_SECONDS: replay,
    RESUME_SECONDS: resume,
    LEASE_SECONDS: lease,
  } = config
  const findings: Finding[] = []
  const subject = 'limits'
  if (cap !== undefined && hourly !== undefined && hourly < cap) {
    findings.push({
      verdict: 'wrong',
      subject,
      message: 'REFUND_CAP_PER_HOUR_USDC is below REFUND_CAP_USDC: one allowed refund pauses all',
      fix: 'raise the hourly cap, or lower the cap of a single refund',
    })
  }
  if (cap !== undefined && minimum !== undefined && cap <= minimum) {
    findings.push({
      verdict: 'wrong',
      subject,
      message: 'REFUND_CAP_USDC is not above REFUND_MIN_USDC: every refund is batched or blocked',
      fix: 'raise the cap, or lower the minimum',
    })
  }
  if (cap !== undefined && cap <= charge) {
    findings.push({
      verdict: 'wrong',
      subject,
      message: 'REFUND_CAP_USDC is not above MIN_CHARGE_USDC: the smallest failed call is blocked',
      fix: 'raise the cap above what a call is quoted at',
    })
  }
  if (resume < lease) {
    findings.push({
      verdict: 'note',
      subject,
      message:
        'RESUME_SECONDS is below LEASE_SECONDS: payments interrupted by a crash are refunded, not resumed',
      fix: 'set RESUME_SECONDS to more than LEASE_SECONDS',
    })
  }
  if (replay === 0) {
    findings.push({
      verdict: 'note',
      subject,
      message: 'REPLAY_SECONDS is 0: a client whose connection broke pays again for its answer',
    })
  }
  return findings
}
