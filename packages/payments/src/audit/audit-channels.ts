import type {
  ChannelMovement,
  ChannelRecord,
  Hex,
  LedgerStore,
  PaymentRecord,
} from '@farebox/ledger'
import { atomicUsdc, sum } from '@farebox/money'
import type { ChannelChain, ChannelOnChain } from '../channel-chain/channel-chain.ts'
import { auditChannelEvents, type Moved } from './audit-channel-events.ts'
import { auditChannelSums } from './audit-channel-sums.ts'
import type { AuditFinding } from './audit-report.ts'
import { createVoucherAudit } from './audit-voucher.ts'
import type { CallTally } from './call-tally.ts'
import { magnitude } from './magnitude.ts'

export type ChannelAudit = {
  readonly store: Pick<LedgerStore, 'exportChannels' | 'exportMovements'>
  readonly channelChain: Pick<ChannelChain, 'channels' | 'receiver' | 'logs'>
  readonly treasury: Hex
  readonly payments: readonly PaymentRecord[]
  readonly calls: Pick<CallTally, 'of'>
  /** The versions of the channels before payments and calls were read. */
  readonly versions: ReadonlyMap<Hex, number>
  /** The first block whose logs are compared. */
  readonly fromBlock: number
  /** The block as of which the contract is read. */
  readonly block: number
}

export type AuditedChannels = {
  readonly findings: readonly AuditFinding[]
  readonly channels: number
  /** The payments of claims to the treasury. */
  readonly settles: readonly Pick<ChannelMovement, 'amount' | 'proof'>[]
}

/** Logs of this many latest blocks may be booked by the next round. */
const blocksInProgress = 64

/**
 * Compares each log of the contract that is about our channels or pays the treasury with the movement
 * that the ledger has booked for it; then what the contract holds of each channel with the sum of its
 * movements, in case of logs before `fromBlock`, the refund nonce, and what a claim rests on. The
 * sums of a channel that did not change meanwhile are compared with its movements and calls. The
 * contract's sum of claims is compared with ours: beyond it are claims from channels that anyone may
 * open to the treasury with another key for claims, money that bought nothing.
 */
export async function auditChannels(audit: ChannelAudit): Promise<AuditedChannels> {
  const { channelChain, treasury, block, fromBlock } = audit
  const logs = await channelChain.logs({ fromBlock, toBlock: block })
  const moved = await movedIn(audit)
  const records = new Map<Hex, ChannelRecord>()
  for await (const record of audit.store.exportChannels()) records.set(record.id, record)
  const ids = [...records.keys()]
  const byChannel = Map.groupBy(moved, ({ channelId }) => channelId)
  const before = Math.max(0, block - blocksInProgress)
  const events = auditChannelEvents({
    logs,
    moved,
    ids: new Set(ids),
    treasury,
    range: { fromBlock, before },
  })
  const findings = events.map(({ finding }) => finding)
  const found = new Set(events.map(({ channelId }) => channelId))
  const states = await channelChain.channels(ids, block)
  const differing: Differing[] = []
  const auditVoucher = createVoucherAudit()
  for (const [index, record] of [...records.values()].entries()) {
    const { id, refundNonce, version } = record
    findings.push(...(await auditVoucher(record)))
    // Its difference is already reported with its logs.
    if (found.has(id)) continue
    const state = states[index]
    if ((state?.refundNonce ?? 0n) < refundNonce) {
      findings.push(finding('channel_nonce_differs', 0n))
    }
    const own = byChannel.get(id) ?? []
    const amount = differenceOf(state, own, block)
    if (amount !== 0n) differing.push({ id, own, amount })
    else if (audit.versions.get(id) === version) {
      findings.push(...auditChannelSums(record, own, audit.calls.of(id)))
    }
  }
  findings.push(...(await findDifferences(channelChain, differing, before)))
  const { totalClaimed } = await channelChain.receiver(treasury, block)
  const strangers = totalClaimed - totalOf(moved, ['claim'], block)
  if (strangers > 0n && findings.length === 0) findings.push(finding('suspense', strangers))
  return { findings, channels: ids.length, settles: moved.filter(({ kind }) => kind === 'settle') }
}

/** A channel for which the contract and the ledger hold different amounts now. */
type Differing = { readonly id: Hex; readonly own: readonly Moved[]; readonly amount: bigint }

/** Reads the earlier block only if there is a difference: a node may no longer have its state. */
async function findDifferences(
  channelChain: ChannelAudit['channelChain'],
  differing: readonly Differing[],
  before: number,
): Promise<readonly AuditFinding[]> {
  if (differing.length === 0) return []
  const ids = differing.map(({ id }) => id)
  const states = await channelChain.channels(ids, before)
  return differing.map(({ own, amount }, index) => {
    const isRecent = differenceOf(states[index], own, before) === 0n
    return finding(isRecent ? 'channel_in_progress' : 'channel_differs', amount)
  })
}

/** The deposits that payments made, and every other movement. */
async function movedIn({ store, payments }: ChannelAudit): Promise<readonly Moved[]> {
  const moved: Moved[] = payments.flatMap(({ kind, channelId, settlement, authorization }) =>
    kind === 'channel_deposit' && settlement !== null
      ? [{ kind: 'deposit', channelId, amount: authorization.value, proof: settlement }]
      : [],
  )
  for await (const { movement } of store.exportMovements()) {
    if (!movement.lost) moved.push(movement)
  }
  return moved
}

function differenceOf(
  state: ChannelOnChain | undefined,
  moved: readonly Moved[],
  block: number,
): bigint {
  const deposits = totalOf(moved, ['deposit'], block)
  const returns = totalOf(moved, ['refund', 'withdrawal'], block)
  const claims = totalOf(moved, ['claim'], block)
  const { balance = 0n, totalClaimed = 0n } = state ?? {}
  return magnitude(balance - (deposits - returns)) + magnitude(totalClaimed - claims)
}

function totalOf(moved: readonly Moved[], kinds: readonly Moved['kind'][], block: number): bigint {
  const counted = moved.filter(({ kind, proof }) => kinds.includes(kind) && proof.block <= block)
  return sum(counted.map(({ amount }) => amount))
}

function finding(kind: AuditFinding['kind'], amount: bigint): AuditFinding {
  return { kind, amount: atomicUsdc(amount), paymentId: null, nonce: null, transaction: null }
}
