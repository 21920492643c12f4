import type {
  ChannelMovement,
  ChannelRecord,
  Hex,
  LedgerStore,
  PaymentRecord,
} from '@farebox/ledger'
import { atomicUsdc, sum } from '@farebox/money'
import type { AuditFinding } from './audit-report.ts'
import { magnitude } from './magnitude.ts'

/** What the calls of a channel cost, and what those in flight can cost. In atomic units. */
export type CallSums = { readonly charged: bigint; readonly reserved: bigint }

/** The calls of each channel as they are read, one after the other. */
export type CallTally = {
  add(call: PaymentRecord): void
  readonly of: (channelId: Hex) => CallSums
}

export function createCallTally(): CallTally {
  const sums = new Map<Hex | null, CallSums>()
  const none = { charged: 0n, reserved: 0n }
  return {
    add({ channelId, cost, authorization }) {
      const { charged, reserved } = sums.get(channelId) ?? none
      const more =
        cost === null ? { reserved: reserved + authorization.value } : { charged: charged + cost }
      sums.set(channelId, { charged, reserved, ...more })
    },
    of: (channelId) => sums.get(channelId) ?? none,
  }
}

/** The version of each channel: one that has the same later was not changed in between. */
export async function channelVersions(
  store: Pick<LedgerStore, 'exportChannels'>,
): Promise<ReadonlyMap<Hex, number>> {
  const versions = new Map<Hex, number>()
  for await (const { id, version } of store.exportChannels()) versions.set(id, version)
  return versions
}

/** Compares the sums of a channel, by which it sells and is claimed from, with what they add up. */
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
