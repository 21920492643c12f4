import {
  createRevenueTally,
  type ExportedPayment,
  type Hex,
  type LedgerStore,
  ledgerPosition,
  type ModelRevenue,
  type OnCorruptRow,
  type PaymentRecord,
  type RefundTransfer,
} from '@farebox/ledger'
import { atomicUsdc, sum, type Usdc } from '@farebox/money'
import type { ChainReader } from '../chain/chain.ts'
import { lowerHex } from '../chain/hex.ts'
import { defaultPaymentPolicy } from '../policy/payment-policy.ts'
import { type AuditedChannels, auditChannels, type ChannelAudit } from './audit-channels.ts'
import { type OverdueLimits, overduePayment, overdueRefund } from './audit-overdue.ts'
import { auditRefunds } from './audit-refunds.ts'
import {
  type AuditFinding,
  type AuditReport,
  type ExplainedKind,
  rowFinding,
} from './audit-report.ts'
import { auditRevenue } from './audit-revenue.ts'
import { auditTransfers } from './audit-transfers.ts'
import { type CallTally, createCallTally } from './call-tally.ts'
import { distance, magnitude, positionOf } from './position-distance.ts'

export type AuditOptions = {
  readonly store: Pick<LedgerStore, 'exportPayments' | 'exportRefunds' | 'keptRevenue'>
  /** Audits payment channels too. */
  readonly channels?: Pick<ChannelAudit, 'store' | 'channelChain'> | undefined
  readonly chain: Pick<ChainReader, 'head' | 'transfersOf'>
  readonly asset: Hex
  readonly treasury: Hex
  /** The block at which the treasury's history begins. */
  readonly fromBlock: number
  /** Accounts to which the owner moves the treasury's money. */
  readonly ownAccounts?: readonly Hex[]
  /** That of the payment policy; a day by default. Small refunds that wait a day longer are overdue. */
  readonly maxRefundDelayMs?: number
}

/**
 * Compares every transfer of the treasury with the ledger, to the atomic unit, from the chain's logs
 * and the ledger's export alone. It can run while the gateway does: it distinguishes what is in
 * progress from what is wrong.
 *
 * @throws {ChainError} when the node does not answer, and any error of the store.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { store, chain, fromBlock } = options
  const asset = lowerHex(options.asset)
  const treasury = lowerHex(options.treasury)
  const head = await chain.head()
  const range = { fromBlock, toBlock: head.number }
  const transfers = await chain.transfersOf({ asset, address: treasury, ...range })
  // The ledger is read after the chain: a transfer that was read has at least been claimed in it.
  const corrupt = new Set<string>()
  const onCorrupt: OnCorruptRow = ({ message }) => corrupt.add(message)
  const refunds = await collect(store.exportRefunds(onCorrupt))
  const versions = options.channels
    ? await channelVersions(options.channels.store)
    : new Map<Hex, number>()
  const { maxRefundDelayMs = defaultPaymentPolicy.maxRefundDelayMs } = options
  const limits = { now: head.timestamp * 1000, maxRefundDelayMs }
  const { findings: ofPayments, ...ledger } = await readPayments(store, limits, onCorrupt)
  const { count, payments, calls, revenue } = ledger
  const differing = await unlessChanged(store, refunds, auditRefunds(payments, refunds))
  const read = { payments, calls, versions, treasury, asset, fromBlock, onCorrupt }
  const channels = options.channels
    ? await auditChannels({ ...options.channels, ...read, block: head.number })
    : noChannels
  const moved = auditTransfers({
    settles: channels.settles,
    transfers,
    payments: payments.filter(({ kind }) => kind === 'sale'),
    refunds,
    treasury,
    range,
    ownAccounts: (options.ownAccounts ?? []).map(lowerHex),
  })
  const named = new Set(
    moved.findings.flatMap(({ kind, nonce }) => (isExplained(kind) ? [] : [nonce])),
  )
  const findings = [
    ...moved.findings,
    ...channels.findings,
    ...ofPayments,
    ...differing.filter(({ nonce }) => !named.has(nonce)),
    ...[...corrupt].map(corruptRow),
    // A payment that could not be read is missing in what the entries add up to.
    ...(corrupt.size === 0 ? auditRevenue(await store.keptRevenue(), revenue) : []),
    ...refunds.flatMap((refund) => [...auditRefund(refund), ...overdueRefund(refund, limits.now)]),
  ]
  const explained = findings.filter(({ kind }) => isExplained(kind))
  const unexplained = findings.filter(({ kind }) => !isExplained(kind))
  return {
    ...range,
    transfers: transfers.length,
    payments: count,
    refunds: refunds.length,
    channels: channels.channels,
    received: moved.received,
    refunded: moved.refunded,
    explained,
    unexplained,
    unexplainedUnits: sum(unexplained.map(({ amount }) => amount)),
  }
}

const noChannels: AuditedChannels = { findings: [], channels: 0, settles: [] }

const explainedKinds: ReadonlySet<AuditFinding['kind']> = new Set<ExplainedKind>([
  'suspense',
  'settlement_in_progress',
  'refund_in_progress',
  'unrecorded_refund',
  'sweep',
  'blocked_refund',
  'channel_in_progress',
  'absorbed_loss',
  'written_off',
])

function isExplained(kind: AuditFinding['kind']): boolean {
  return explainedKinds.has(kind)
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = []
  for await (const item of items) collected.push(item)
  return collected
}

/** What is corrupt is reported where the rows are audited. */
function unread(): void {
  return undefined
}

/** The version of each channel: one that has the same later was not changed in between. */
async function channelVersions(
  store: Pick<LedgerStore, 'exportChannels'>,
): Promise<ReadonlyMap<Hex, number>> {
  const versions = new Map<Hex, number>()
  for await (const { id, version } of store.exportChannels(unread)) versions.set(id, version)
  return versions
}

/** Without the findings about refunds that changed while the payments were read. */
async function unlessChanged(
  store: AuditOptions['store'],
  refunds: readonly RefundTransfer[],
  findings: readonly AuditFinding[],
): Promise<readonly AuditFinding[]> {
  if (findings.length === 0) return []
  const versions = new Map(refunds.map(({ nonce, version }) => [nonce, version]))
  const changed = new Set<Hex | null>()
  for await (const { nonce, version } of store.exportRefunds(unread)) {
    if (versions.get(nonce) !== version) changed.add(nonce)
  }
  return findings.filter(({ nonce }) => !changed.has(nonce))
}

type ReadPayments = {
  readonly count: number
  /** Payments made by transfer; calls of a channel are left out. */
  readonly payments: readonly PaymentRecord[]
  /** What the calls add up to. */
  readonly calls: CallTally
  readonly revenue: readonly ModelRevenue[]
  readonly findings: readonly AuditFinding[]
}

/** Checks each payment as it is read, so that entries and calls need not be held in memory. */
async function readPayments(
  store: AuditOptions['store'],
  limits: OverdueLimits,
  onCorrupt: OnCorruptRow,
): Promise<ReadPayments> {
  const payments: PaymentRecord[] = []
  const calls = createCallTally()
  const revenue = createRevenueTally()
  const findings: AuditFinding[] = []
  let count = 0
  for await (const exported of store.exportPayments(onCorrupt)) {
    const { payment } = exported
    count += 1
    revenue.addEntries(payment, exported.entries)
    findings.push(
      ...auditEntries(exported),
      ...auditPayment(payment),
      ...overduePayment(payment, limits),
    )
    if (payment.kind === 'channel_call') calls.add(payment)
    else payments.push(payment)
  }
  return { count, payments, calls, revenue: revenue.sums(), findings }
}

/** A payment's entries must add up, account by account, to the position that its state implies. */
function auditEntries({ payment, entries }: ExportedPayment): readonly AuditFinding[] {
  const expected = new Map<string, bigint>(Object.entries(ledgerPosition(payment)))
  const difference = distance(positionOf(entries), expected)
  return difference === 0n ? [] : [paymentFinding('entries_differ', payment, difference)]
}

function auditPayment(payment: PaymentRecord): readonly AuditFinding[] {
  const { kind, cost, refund, authorization, settlement } = payment
  if (cost === null) return []
  const difference = magnitude(authorization.value - cost - (refund?.amount ?? 0n))
  if (difference !== 0n) return [paymentFinding('sum_differs', payment, atomicUsdc(difference))]
  return settlement === null && kind !== 'channel_call'
    ? [paymentFinding('absorbed_loss', payment, cost)]
    : []
}

function corruptRow(detail: string): AuditFinding {
  return { ...rowFinding(0n, detail), kind: 'row_corrupt' }
}

function auditRefund(refund: RefundTransfer): readonly AuditFinding[] {
  const { status, nonce, amount, transaction, payments } = refund
  const paymentId = payments[0] ?? null
  switch (status) {
    case 'blocked':
      return [{ kind: 'blocked_refund', amount, nonce, transaction, paymentId }]
    case 'written_off':
      return [{ kind: 'written_off', amount, nonce, transaction, paymentId }]
    default:
      return []
  }
}

function paymentFinding(
  kind: AuditFinding['kind'],
  { id, authorization, settlement }: PaymentRecord,
  amount: Usdc,
): AuditFinding {
  const transaction = settlement?.transaction ?? null
  return { kind, amount, paymentId: id, nonce: authorization.nonce, transaction }
}
