import type { LedgerEntry } from '../book/ledger-entry.ts'
import type { BookedMovement } from '../channel/channel-movement.ts'
import type { ChannelRecord, Voucher } from '../channel/channel-record.ts'
import { isUnfinished } from '../payment/is-unfinished.ts'
import { LedgerError } from '../payment/ledger-error.ts'
import type { PayerFault } from '../payment/payer-fault.ts'
import type { Hex, PaymentId, PaymentRecord, TransferProof } from '../payment/payment-record.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import { authorizationText } from '../store/claim-payment.ts'
import type { FreeUse } from '../store/free-quota-store.ts'
import type { GasPaid } from '../store/gas-store.ts'
import type { StoredAnswer } from '../store/ledger-store.ts'
import { isAccruing, type PaymentChange } from '../transition/payment-change.ts'

/** Everything that is durable at one moment. */
export type MemorySnapshot = {
  readonly payments: readonly PaymentRecord[]
  readonly entries: readonly LedgerEntry[]
  readonly transfers: readonly RefundTransfer[]
  readonly answers: readonly (readonly [PaymentId, StoredAnswer])[]
  readonly payerFaults: readonly PayerFault[]
  readonly channels: readonly ChannelRecord[]
  readonly channelUses: readonly ChannelUse[]
  readonly movements: readonly BookedMovement[]
  readonly freeUsed: readonly (readonly [string, bigint])[]
  readonly freeUse: readonly (readonly [string, FreeUse])[]
  readonly gas: readonly (readonly [string, GasPaid])[]
}

/** What a voucher pays for. */
export type ChannelUse = {
  readonly channelId: Hex
  readonly voucher: Voucher
  readonly paymentId: PaymentId
  /** Whether its call cost nothing, so that it can pay for another. */
  readonly free: boolean
  /** Whether a claim may have made it public, so that it pays for no other call. */
  readonly published: boolean
}

/**
 * The database of a simulation: it survives a crash of the stores that share it. Each commit is
 * atomic.
 */
export type MemoryDisk = {
  readonly [Name in keyof Tables]: ReadOnly<Tables[Name]>
} & {
  commit(writes: MemoryWrites): void
  snapshot(): MemorySnapshot
  /** Returns to a snapshot, as restoring a backup does. */
  restore(snapshot: MemorySnapshot): void
}

export type MemoryWrites = {
  readonly changes?: readonly Pick<PaymentChange, 'payment' | 'entries'>[]
  readonly transfers?: readonly RefundTransfer[]
  readonly answer?: readonly [PaymentId, StoredAnswer]
  readonly forgetAnswers?: readonly PaymentId[]
  readonly forgetPayments?: readonly PaymentRecord[]
  readonly payerFault?: PayerFault
  readonly forgetPayerFaults?: readonly PayerFault[]
  readonly channels?: readonly ChannelRecord[]
  readonly forgetChannels?: readonly Hex[]
  readonly channelUses?: readonly ChannelUse[]
  readonly movements?: readonly (readonly [number, BookedMovement])[]
  readonly freeUsed?: readonly (readonly [string, bigint])[]
  readonly freeUse?: readonly (readonly [string, FreeUse])[]
  readonly forgetFreeUsed?: readonly string[]
  readonly gas?: readonly (readonly [string, GasPaid])[]
}

export function createMemoryDisk(): MemoryDisk {
  const tables: Tables = {
    payments: new Map(),
    entries: new Map(),
    transfers: new Map(),
    answers: new Map(),
    unfinished: new Set(),
    accruing: new Set(),
    payerFaults: new Set(),
    claims: new Map(),
    channels: new Map(),
    channelUses: new Map(),
    movements: new Map(),
    freeUsed: new Map(),
    freeUse: new Map(),
    gas: new Map(),
    proofs: new Map(),
  }
  return {
    ...tables,
    commit: (writes) => commit(tables, writes),
    snapshot: () => ({
      payments: [...tables.payments.values()],
      entries: [...tables.entries.values()].flat(),
      transfers: [...tables.transfers.values()],
      answers: [...tables.answers],
      payerFaults: [...tables.payerFaults],
      channels: [...tables.channels.values()],
      channelUses: [...tables.channelUses.values()],
      movements: [...tables.movements.values()],
      freeUsed: [...tables.freeUsed],
      freeUse: [...tables.freeUse],
      gas: [...tables.gas],
    }),
    restore: (snapshot) => restore(tables, snapshot),
  }
}

type ReadOnly<Table> =
  Table extends Map<infer Key, infer Value>
    ? ReadonlyMap<Key, Value>
    : Table extends Set<infer Value>
      ? ReadonlySet<Value>
      : never

type Tables = {
  readonly payments: Map<PaymentId, PaymentRecord>
  readonly entries: Map<PaymentId, readonly LedgerEntry[]>
  readonly transfers: Map<string, RefundTransfer>
  readonly answers: Map<PaymentId, StoredAnswer>
  readonly unfinished: Set<PaymentId>
  readonly accruing: Set<PaymentId>
  readonly payerFaults: Set<PayerFault>
  /** By `authorizationText`. */
  readonly claims: Map<string, PaymentId>
  readonly channels: Map<string, ChannelRecord>
  /** By `useText`. */
  readonly channelUses: Map<string, ChannelUse>
  /** By the order in which they were recorded. */
  readonly movements: Map<number, BookedMovement>
  /** What was used of free quotas, by day and address. */
  readonly freeUsed: Map<string, bigint>
  /** By day and model. */
  readonly freeUse: Map<string, FreeUse>
  /** By chain, sender and nonce. */
  readonly gas: Map<string, GasPaid>
  /** The owner of each proof, by `proofText`. */
  readonly proofs: Map<string, string>
}

/** All checks run before the first write. */
function commit(tables: Tables, writes: MemoryWrites): void {
  const { changes = [], transfers = [], answer, forgetAnswers = [] } = writes
  const { payerFault, forgetPayerFaults = [], forgetPayments = [] } = writes
  for (const { payment } of changes) checkProof(tables, payment.settlement, payment.id)
  for (const { proof, nonce } of transfers) checkProof(tables, proof, nonce)
  for (const { payment, entries } of changes) {
    putPayment(tables, payment)
    addEntries(tables, payment.id, entries)
  }
  for (const transfer of transfers) {
    const { nonce, proof } = transfer
    keepProof(tables, [tables.transfers.get(nonce)?.proof, proof], nonce)
    tables.transfers.set(nonce, transfer)
  }
  if (answer !== undefined) tables.answers.set(...answer)
  for (const id of forgetAnswers) tables.answers.delete(id)
  for (const fault of forgetPayerFaults) tables.payerFaults.delete(fault)
  for (const { id, authorization } of forgetPayments) {
    tables.payments.delete(id)
    tables.claims.delete(authorizationText(authorization))
  }
  if (payerFault !== undefined) tables.payerFaults.add(payerFault)
  commitChannels(tables, writes)
  commitFree(tables, writes)
  for (const [key, paid] of writes.gas ?? []) tables.gas.set(key, paid)
}

function commitFree(tables: Tables, writes: MemoryWrites): void {
  const { freeUsed = [], freeUse = [], forgetFreeUsed = [] } = writes
  for (const key of forgetFreeUsed) tables.freeUsed.delete(key)
  for (const [key, used] of freeUsed) tables.freeUsed.set(key, used)
  for (const [key, use] of freeUse) tables.freeUse.set(key, use)
}

function commitChannels(tables: Tables, writes: MemoryWrites): void {
  const { channels = [], forgetChannels = [], channelUses = [], movements = [] } = writes
  for (const channel of channels) tables.channels.set(channel.id, channel)
  for (const id of forgetChannels) tables.channels.delete(id)
  for (const use of channelUses) tables.channelUses.set(useText(use.channelId, use.voucher), use)
  for (const [index, movement] of movements) tables.movements.set(index, movement)
}

/** The identity of a voucher's use as a string, for use as a map key. */
export function useText(channelId: Hex, { max }: Pick<Voucher, 'max'>): string {
  return `${channelId}:${max}`
}

function restore(tables: Tables, snapshot: MemorySnapshot): void {
  for (const table of Object.values(tables)) table.clear()
  const changes = snapshot.payments.map((payment) => ({ payment, entries: [] }))
  const { transfers, channels, channelUses, movements, freeUsed, freeUse, gas } = snapshot
  const moved = { channels, channelUses, movements: [...movements.entries()] }
  commit(tables, { changes, transfers, ...moved, freeUsed, freeUse, gas })
  for (const entry of snapshot.entries) addEntries(tables, entry.paymentId, [entry])
  for (const [id, answer] of snapshot.answers) tables.answers.set(id, answer)
  for (const fault of snapshot.payerFaults) tables.payerFaults.add(fault)
}

function putPayment(tables: Tables, payment: PaymentRecord): void {
  const { id, settlement, authorization } = payment
  keepProof(tables, [tables.payments.get(id)?.settlement, settlement], id)
  tables.payments.set(id, payment)
  tables.claims.set(authorizationText(authorization), id)
  keepIf(tables.unfinished, id, () => isUnfinished(payment))
  keepIf(tables.accruing, id, () => isAccruing(payment))
}

function addEntries(tables: Tables, id: PaymentId, entries: readonly LedgerEntry[]): void {
  tables.entries.set(id, [...(tables.entries.get(id) ?? []), ...entries])
}

function checkProof({ proofs }: Tables, proof: TransferProof | null, owner: string): void {
  const other = proof === null ? undefined : proofs.get(proofText(proof))
  if (other === undefined || other === owner) return
  throw new LedgerError(
    'proof_used',
    `the transfer already proves ${other}, so it cannot prove ${owner}`,
  )
}

type ProofChange = readonly [before: TransferProof | null | undefined, after: TransferProof | null]

function keepProof({ proofs }: Tables, [before, after]: ProofChange, owner: string): void {
  if (before !== null && before !== undefined) proofs.delete(proofText(before))
  if (after !== null) proofs.set(proofText(after), owner)
}

function keepIf(set: Set<PaymentId>, id: PaymentId, belongs: () => boolean): void {
  if (belongs()) set.add(id)
  else set.delete(id)
}

function proofText({ transaction, logIndex }: TransferProof): string {
  return `${transaction}#${logIndex}`
}
