import type { ChannelMovement, ChannelRecord } from '@farebox/ledger'
import { sum } from '@farebox/money'
import { type AuditFinding, rowFinding } from './audit-report.ts'
import type { CallSums } from './call-tally.ts'
import { magnitude } from './position-distance.ts'

type Moved = Pick<ChannelMovement, 'kind' | 'amount'>

/** Compares the sums of a channel, by which it sells and is claimed, with its movements and calls. */
export function auditChannelSums(
  channel: ChannelRecord,
  moved: readonly Moved[],
  { charged, reserved }: CallSums,
): readonly AuditFinding[] {
  const sums = {
    deposited: totalOf(moved, ['deposit']),
    returned: totalOf(moved, ['refund', 'withdrawal']),
    claimed: totalOf(moved, ['claim']),
    charged,
    reserved,
  }
  return (['deposited', 'returned', 'claimed', 'charged', 'reserved'] as const).flatMap((name) => {
    const [found, expected] = [channel[name], sums[name]]
    if (found === expected) return []
    const detail = `channel ${channel.id}: ${name} is ${found}, and by its rows ${expected}`
    return [rowFinding(magnitude(found - expected), detail)]
  })
}

/**
 * Compares the kept sums of claims and their payments, by which they are paid to the treasury, with
 * the movements. They were read before and after these; while they change, nothing is compared.
 */
export function auditUnsettled(
  moved: readonly Moved[],
  [before, after]: readonly [bigint, bigint],
): readonly AuditFinding[] {
  const expected = totalOf(moved, ['claim']) - totalOf(moved, ['settle'])
  if (before !== after || before === expected) return []
  const detail = `channel_sum: claim less settle is ${before}, and by the movements ${expected}`
  return [rowFinding(magnitude(before - expected), detail)]
}

/** What the movements of some kinds add up to. */
export function totalOf(
  moved: readonly Moved[],
  kinds: readonly ChannelMovement['kind'][],
): bigint {
  return sum(moved.filter(({ kind }) => kinds.includes(kind)).map(({ amount }) => amount))
}
