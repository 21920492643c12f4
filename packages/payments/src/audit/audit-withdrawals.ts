import { type ChannelRecord, escrowOf, type Hex, type LedgerStore } from '@farebox/ledger'
import type { ChannelChain, ChannelOnChain } from '../channel-chain/channel-chain.ts'
import { type AuditFinding, rowFinding } from './audit-report.ts'

export type WithdrawalAudit = {
  readonly store: Pick<LedgerStore, 'exportChannels'>
  readonly channelChain: Pick<ChannelChain, 'channels'>
  readonly records: readonly ChannelRecord[]
  /** What the contract held of each of them. */
  readonly states: readonly ChannelOnChain[]
  /** Channels with logs that the next round may book. */
  readonly changing: ReadonlySet<Hex>
}

/**
 * Compares the end of each pending withdrawal with the contract's: a channel whose withdrawal the
 * ledger does not know sells calls that its escrow may no longer pay; one whose withdrawal only the
 * ledger knows sells nothing. One that differs is read again: a running gateway may have changed it.
 */
export async function auditWithdrawals(audit: WithdrawalAudit): Promise<readonly AuditFinding[]> {
  const { records, states, changing } = audit
  const differing = records.flatMap((record, index) => {
    const expected = withdrawAtOf(record, states[index])
    return record.withdrawAt === expected ? [] : [{ record, expected }]
  })
  if (differing.length === 0) return []
  const latest = await audit.channelChain.channels(differing.map(({ record }) => record.id))
  const found = new Map<Hex, number | null>()
  for await (const { id, withdrawAt } of audit.store.exportChannels(() => undefined)) {
    found.set(id, withdrawAt)
  }
  return differing.flatMap(({ record, expected }, index) => {
    const { id, withdrawAt } = record
    const stays = found.get(id) === withdrawAt && withdrawAtOf(record, latest[index]) === expected
    if (!stays) return []
    const detail = `channel ${id}: withdraw_at is ${withdrawAt}, and by the contract ${expected}`
    const finding = rowFinding(escrowOf(record), detail)
    return [changing.has(id) ? { ...finding, kind: 'channel_in_progress' } : finding]
  })
}

function withdrawAtOf({ config }: ChannelRecord, state: ChannelOnChain | undefined): number | null {
  const since = state?.withdrawalSince ?? null
  return since === null ? null : since + config.withdrawDelay
}
