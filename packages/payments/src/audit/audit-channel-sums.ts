import type { ChannelMovement, ChannelRecord } from '@farebox/ledger'
import { atomicUsdc, sum } from '@farebox/money'
import type { AuditFinding } from './audit-report.ts'
import type { CallSums } from './call-tally.ts'
import { magnitude } from './magnitude.ts'

/** Compares the sums that a channel sells and is claimed by with its movements and calls. */
export function auditChannelSums(
  channel: ChannelRecord,
  moved: readonly Pick<ChannelMovement, 'kind' | 'amount'>[],
  { charged, reserved }: CallSums,
): readonly AuditFinding[] {
  const total = (...kinds: readonly ChannelMovement['kind'][]): bigint =>
    sum(moved.filter(({ kind }) => kinds.includes(kind)).map(({ amount }) => amount))
  const differences = [
    channel.deposited - total('deposit'),
    channel.returned - total('refund', 'withdrawal'),
    channel.claimed - total('claim'),
    channel.charged - charged,
    channel.reserved - reserved,
  ]
  const amount = sum(differences.map((difference) => atomicUsdc(magnitude(difference))))
  const nothingNamed = { paymentId: null, nonce: null, transaction: null }
  return amount === 0n ? [] : [{ kind: 'channel_differs', amount, ...nothingNamed }]
}
