import { type ChannelRecord, escrowOf } from '@farebox/ledger'
import { type AuditFinding, rowFinding } from './audit-report.ts'

/**
 * Checks the status and the times by which the rounds claim and close a channel: they return nothing of
 * one that is closed or opening, and a time after its last change delays its claim, or its return.
 */
export function auditChannelState(channel: ChannelRecord): readonly AuditFinding[] {
  const { id, status, charged, claimed, reserved, updatedAt } = channel
  const findings: AuditFinding[] = []
  const owed = charged - claimed
  const rest = escrowOf(channel) - owed - reserved
  if (rest > 0n && (status === 'closed' || status === 'opening')) {
    findings.push(rowFinding(rest, `channel ${id}: status is ${status}, with ${rest} in escrow`))
  }
  const times = [
    { name: 'unclaimed_since', at: channel.unclaimedSince ?? 0, delayed: owed },
    { name: 'last_call_at', at: channel.lastCallAt, delayed: rest },
  ]
  for (const { name, at, delayed } of times) {
    if (at <= updatedAt || delayed <= 0n) continue
    const detail = `channel ${id}: ${name} is ${at}, after the last change at ${updatedAt}`
    findings.push(rowFinding(delayed, detail))
  }
  return findings
}
