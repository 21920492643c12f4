import type { ChannelMovement, Hex } from '@farebox/ledger'
import { atomicUsdc } from '@farebox/money'
import { placeOf } from '../chain/log-place.ts'
import type { ChannelLog } from '../channel-chain/channel-log.ts'
import type { AuditFinding } from './audit-report.ts'

/** A movement of a channel, as the ledger has booked it. */
export type Moved = Pick<ChannelMovement, 'kind' | 'channelId' | 'amount' | 'proof'>

export type ChannelEventAudit = {
  readonly logs: readonly ChannelLog[]
  readonly moved: readonly Moved[]
  /** The ledger's channels. */
  readonly ids: ReadonlySet<Hex>
  readonly treasury: Hex
  /** Anyone can pay the treasury in a token of their own, which is not booked. */
  readonly asset: Hex
  /** Logs were read from `fromBlock` on; those after `before` may be booked by the next round. */
  readonly range: { readonly fromBlock: number; readonly before: number }
}

export type FoundEvent = { readonly channelId: Hex | null; readonly finding: AuditFinding }

/**
 * Compares each log that moved money of our channels with the movement that the ledger booked for
 * it, by its place, and vice versa.
 */
export function auditChannelEvents(audit: ChannelEventAudit): readonly FoundEvent[] {
  const { logs, moved, range } = audit
  const events = logs.flatMap((log) => eventOf(audit, log) ?? [])
  const booked = new Map(moved.map((movement) => [placeOf(movement.proof), movement]))
  const logged = new Map(events.map((event) => [placeOf(event.proof), event]))
  const found = (movement: Moved): FoundEvent => ({
    channelId: movement.channelId,
    finding: findingOf(movement, range.before),
  })
  const unbooked = events.filter((event) => !isSame(booked.get(placeOf(event.proof)), event))
  const missing = moved.filter(
    ({ proof }) => proof.block >= range.fromBlock && !logged.has(placeOf(proof)),
  )
  return [...unbooked.map(found), ...missing.map(found)]
}

/** What a log moved; undefined if it did not move money of ours. */
function eventOf({ ids, treasury, asset }: ChannelEventAudit, log: ChannelLog): Moved | undefined {
  const { proof } = log
  switch (log.type) {
    case 'created':
    case 'withdraw_announced':
      return undefined
    case 'settled': {
      const { receiver, token, amount } = log
      const isOurs = receiver === treasury && token === asset
      return isOurs ? { kind: 'settle', channelId: null, amount, proof } : undefined
    }
    case 'deposited':
    case 'claimed':
    case 'refunded':
    case 'withdrawn': {
      const { channelId, amount } = log
      const isOurs = ids.has(channelId) && amount > 0n
      return isOurs ? { kind: kinds[log.type], channelId, amount, proof } : undefined
    }
  }
}

const kinds = {
  deposited: 'deposit',
  claimed: 'claim',
  refunded: 'refund',
  withdrawn: 'withdrawal',
} as const satisfies Record<string, ChannelMovement['kind']>

function isSame(booked: Moved | undefined, event: Moved): boolean {
  return booked?.kind === event.kind && booked.amount === event.amount
}

function findingOf({ amount, proof }: Moved, before: number): AuditFinding {
  return {
    kind: proof.block > before ? 'channel_in_progress' : 'channel_differs',
    amount: atomicUsdc(amount),
    paymentId: null,
    nonce: null,
    transaction: proof.transaction,
  }
}
