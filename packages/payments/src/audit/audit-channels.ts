import {
  type ChannelEntry,
  type ChannelMovement,
  type ChannelRecord,
  type Hex,
  type LedgerStore,
  movementEntries,
  type OnCorruptRow,
  type PaymentRecord,
} from '@farebox/ledger'
import type { ChannelChain, ChannelOnChain } from '../channel-chain/channel-chain.ts'
import type { ChannelLog } from '../channel-chain/channel-log.ts'
import { auditChannelEvents, type Moved } from './audit-channel-events.ts'
import { auditChannelState } from './audit-channel-state.ts'
import { auditChannelSums, auditUnsettled, totalOf } from './audit-channel-sums.ts'
import { type AuditFinding, rowFinding } from './audit-report.ts'
import { createVoucherAudit } from './audit-voucher.ts'
import { auditWithdrawals } from './audit-withdrawals.ts'
import type { CallTally } from './call-tally.ts'
import { distance, magnitude, positionOf } from './position-distance.ts'

export type ChannelAudit = {
  readonly store: Pick<LedgerStore, 'exportChannels' | 'exportMovements' | 'channelTotals'>
  readonly channelChain: Pick<ChannelChain, 'channels' | 'receiver' | 'logs'>
  readonly treasury: Hex
  readonly asset: Hex
  readonly payments: readonly PaymentRecord[]
  readonly calls: Pick<CallTally, 'of'>
  /** The versions of the channels before payments and calls were read. */
  readonly versions: ReadonlyMap<Hex, number>
  readonly onCorrupt: OnCorruptRow
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
 * Compares payment channels in the ledger with their contract:
 *
 * - each log that is about our channels, or pays the treasury, with the movement booked for it
 * - of each channel the amounts, which shows logs before `fromBlock` too, the refund nonce, the pending
 *   withdrawal, and the terms and the voucher that its claim needs
 * - the sums of each channel that did not change meanwhile with its movements and calls
 * - the contract's sum of claims with ours: the rest is from channels to the treasury that other parties
 *   opened with their own key for claims, money that bought nothing
 */
export async function auditChannels(audit: ChannelAudit): Promise<AuditedChannels> {
  const { channelChain, treasury, asset, block, fromBlock } = audit
  const before = Math.max(0, block - blocksInProgress)
  const range = { fromBlock, before }
  const logs = await channelChain.logs({ fromBlock, toBlock: block })
  const { moved, findings } = await readMovements(audit)
  const records: ChannelRecord[] = []
  for await (const record of audit.store.exportChannels(audit.onCorrupt)) records.push(record)
  const ids = records.map(({ id }) => id)
  const events = auditChannelEvents({
    logs,
    moved,
    ids: new Set(ids),
    treasury,
    asset,
    range,
  })
  findings.push(...events.map(({ finding }) => finding))
  const states = await channelChain.channels(ids, block)
  const reported = new Set(events.map(({ channelId }) => channelId))
  findings.push(...(await auditRecords(audit, { records, states, moved, reported, before })))
  const changing = new Set(
    logs.flatMap((log) => (log.proof.block > before ? withdrawalOf(log) : [])),
  )
  findings.push(...(await auditWithdrawals({ ...audit, records, states, changing })))
  const { totalClaimed } = await channelChain.receiver(treasury, block)
  const ofOthers = totalClaimed - totalOf(movedUntil(moved, block), ['claim'])
  if (ofOthers > 0n && findings.length === 0) {
    findings.push({ ...rowFinding(ofOthers, 'claims from channels of others'), kind: 'suspense' })
  }
  return { findings, channels: ids.length, settles: moved.filter(({ kind }) => kind === 'settle') }
}

type ReadRecords = {
  readonly records: readonly ChannelRecord[]
  /** What the contract holds of each of them. */
  readonly states: readonly ChannelOnChain[]
  readonly moved: readonly Moved[]
  /** The channels whose difference is already reported with their logs. */
  readonly reported: ReadonlySet<Hex | null>
  readonly before: number
}

/** Compares each channel of the ledger with the contract, with its movements and with its calls. */
async function auditRecords(
  { channelChain, block, versions, calls }: ChannelAudit,
  { records, states, moved, reported, before }: ReadRecords,
): Promise<readonly AuditFinding[]> {
  const byChannel = Map.groupBy(moved, ({ channelId }) => channelId)
  const auditVoucher = createVoucherAudit()
  const findings: AuditFinding[] = []
  const differing: Differing[] = []
  for (const [index, record] of records.entries()) {
    const { id, version } = record
    findings.push(...(await auditVoucher(record)), ...auditChannelState(record))
    if (reported.has(id)) continue
    const state = states[index]
    findings.push(...auditNonce(record, state?.refundNonce ?? 0n))
    const own = byChannel.get(id) ?? []
    const amount = differenceOf(state, own, block)
    if (amount !== 0n) differing.push({ id, own, amount })
    else if (versions.get(id) === version) {
      findings.push(...auditChannelSums(record, own, calls.of(id)))
    }
  }
  return [...findings, ...(await findDifferences(channelChain, differing, before))]
}

function auditNonce(
  { id, refundNonce }: ChannelRecord,
  ofContract: bigint,
): readonly AuditFinding[] {
  if (ofContract >= refundNonce) return []
  const detail = `channel ${id}: refund_nonce is ${refundNonce}, and by the contract ${ofContract}`
  return [{ ...rowFinding(0n, detail), kind: 'channel_nonce_differs' }]
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
  return differing.map(({ id, own, amount }, index) => {
    const isRecent = differenceOf(states[index], own, before) === 0n
    const found = rowFinding(amount, `channel ${id}: the contract holds other amounts`)
    return isRecent ? { ...found, kind: 'channel_in_progress' } : found
  })
}

/** The channel whose pending withdrawal a log may have changed. */
function withdrawalOf(log: ChannelLog): readonly Hex[] {
  switch (log.type) {
    case 'withdraw_announced':
    case 'withdrawn':
    case 'refunded':
      return [log.channelId]
    case 'created':
    case 'deposited':
    case 'claimed':
    case 'settled':
      return []
  }
}

type ReadMovements = { readonly moved: readonly Moved[]; readonly findings: AuditFinding[] }

/** The deposits that payments made, and every other movement, with what is wrong in their books. */
async function readMovements(audit: ChannelAudit): Promise<ReadMovements> {
  const { store, payments } = audit
  const moved: readonly Moved[] = payments.flatMap(
    ({ kind, channelId, settlement, authorization }) =>
      kind === 'channel_deposit' && settlement !== null
        ? [{ kind: 'deposit', channelId, amount: authorization.value, proof: settlement }]
        : [],
  )
  const findings: AuditFinding[] = []
  const logged: ChannelMovement[] = []
  const before = (await store.channelTotals()).unsettled
  for await (const { movement, entries } of store.exportMovements(audit.onCorrupt)) {
    findings.push(...auditMovementEntries(movement, entries))
    if (!movement.lost) logged.push(movement)
  }
  const after = (await store.channelTotals()).unsettled
  findings.push(...auditUnsettled(logged, [before, after]))
  return { moved: [...moved, ...logged], findings }
}

/** What is lost has been taken back. */
function auditMovementEntries(
  movement: ChannelMovement,
  entries: readonly ChannelEntry[],
): readonly AuditFinding[] {
  const { kind, lost, proof } = movement
  const expected = lost ? [] : movementEntries(movement)
  const difference = distance(positionOf(entries), positionOf(expected))
  if (difference === 0n) return []
  const detail = `the channel_entry rows of the ${kind} in log ${proof.logIndex}`
  const { transaction } = proof
  return [{ ...rowFinding(difference, detail), kind: 'entries_differ', transaction }]
}

function differenceOf(
  state: ChannelOnChain | undefined,
  moved: readonly Moved[],
  block: number,
): bigint {
  const until = movedUntil(moved, block)
  const deposits = totalOf(until, ['deposit'])
  const returns = totalOf(until, ['refund', 'withdrawal'])
  const claims = totalOf(until, ['claim'])
  const { balance = 0n, totalClaimed = 0n } = state ?? {}
  return magnitude(balance - (deposits - returns)) + magnitude(totalClaimed - claims)
}

function movedUntil(moved: readonly Moved[], block: number): readonly Moved[] {
  return moved.filter(({ proof }) => proof.block <= block)
}
