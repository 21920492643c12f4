import { atomicUsdc, sum, type Usdc } from '@farebox/money'
import { ledgerPosition } from '../book/ledger-position.ts'
import type { PaymentEvent, RefundPlan } from '../payment/payment-event.ts'
import { createPaymentId } from '../payment/payment-id.ts'
import type { Hex, PaymentRecord, TransferProof } from '../payment/payment-record.ts'
import type { RefundTransfer } from '../refund/refund-transfer.ts'
import type {
  ExportedPayment,
  LedgerStore,
  NewPayment,
  RefundTransferEvent,
} from '../store/ledger-store.ts'

/** When the payments of the suite are created, in milliseconds since 1970. */
export const start = 1_700_000_000_000

/** A payment of 1,000 units; each number gives a different id, payer, nonce and request. */
export function newPayment(number: number, changes: Partial<NewPayment> = {}): NewPayment {
  return {
    id: createPaymentId(number, new Uint8Array(10)),
    network: 'eip155:84532',
    kind: 'sale',
    channelId: null,
    authorization: {
      chainId: 84532,
      asset: hex(0xa55e7, 20),
      from: hex(0xfa00 + number, 20),
      to: hex(0x7ea5, 20),
      value: atomicUsdc(1_000n),
      nonce: hex(0xabc000 + number, 32),
      validAfter: 0,
      validBefore: start / 1000 + 300,
    },
    payload: `{"number":${number}}`,
    requestDigest: hex(number, 32).slice(2),
    resource: 'https://gateway.example/v1/chat/completions',
    model: 'maker/model',
    priceVersion: '2026-11-20',
    clientPaymentId: null,
    intentBlock: 100,
    lease: null,
    createdAt: start + number,
    ...changes,
  }
}

/** A number as hexadecimal with the given number of bytes. */
export function hex(number: number, bytes: number): Hex {
  return `0x${number.toString(16).padStart(2 * bytes, '0')}`
}

/** The nonce of a payment's refund. */
export function refundNonce(number: number): Hex {
  return hex(0x4ef000 + number, 32)
}

export function proof(number: number, block = 101): TransferProof {
  return { transaction: hex(0x7a0000 + number, 32), block, blockHash: hex(block, 32), logIndex: 3 }
}

/** Applies events in order; a conflict is a fault of the store. */
export async function applyEvents(
  store: LedgerStore,
  payment: PaymentRecord,
  events: readonly PaymentEvent[],
): Promise<PaymentRecord> {
  let current = payment
  for (const event of events) {
    const outcome = await store.apply(current, event)
    if (outcome.status !== 'applied') throw new Error(`${event.type} conflicts with another change`)
    current = outcome.payment
  }
  return current
}

/** Applies events to a refund transfer in order. */
export async function applyRefundEvents(
  store: LedgerStore,
  transfer: RefundTransfer,
  events: readonly RefundTransferEvent[],
): Promise<RefundTransfer> {
  let current = transfer
  for (const event of events) {
    const outcome = await store.applyToRefund(current, event)
    if (outcome.status !== 'applied') throw new Error(`${event.type} conflicts with another change`)
    current = outcome.transfer
  }
  return current
}

/** Claims a payment. */
export async function claimed(
  store: LedgerStore,
  number: number,
  changes: Partial<NewPayment> = {},
): Promise<PaymentRecord> {
  const outcome = await store.claim(newPayment(number, changes))
  if (outcome.status !== 'claimed')
    throw new Error(`the authorization of payment ${number} is already claimed`)
  return outcome.payment
}

/** Claims a payment and proves its settlement. */
export async function settled(store: LedgerStore, number: number): Promise<PaymentRecord> {
  const payment = await claimed(store, number)
  return applyEvents(store, payment, [
    { type: 'settlement_proven', proof: proof(number), at: start + 1_000 },
  ])
}

export type Service = {
  readonly cost: bigint
  readonly refund: RefundPlan
  readonly providerCost?: Usdc
  readonly model?: string
}

/** Claims, settles and serves a payment at a cost. */
export async function completed(
  store: LedgerStore,
  number: number,
  { cost, ...rest }: Service,
): Promise<PaymentRecord> {
  const usage = { inputTokens: 7, outputTokens: 5, source: 'provider' } as const
  return applyEvents(store, await settled(store, number), [
    { type: 'service_started', at: start + 2_000 },
    { type: 'service_completed', cost: atomicUsdc(cost), usage, ...rest, at: start + 3_000 },
  ])
}

/** A served payment with a refund due in its own transfer, and that transfer. */
export async function withRefundDue(
  store: LedgerStore,
  number: number,
): Promise<{ readonly payment: PaymentRecord; readonly transfer: RefundTransfer }> {
  const nonce = refundNonce(number)
  const payment = await completed(store, number, {
    cost: 400n,
    refund: { kind: 'transfer', nonce },
  })
  return { payment, transfer: await refundTransferOf(store, nonce) }
}

export async function refundTransferOf(store: LedgerStore, nonce: Hex): Promise<RefundTransfer> {
  const transfer = await store.loadRefund(nonce)
  if (transfer === undefined) throw new Error(`refund transfer ${nonce} is missing`)
  return transfer
}

export async function paymentOf(store: LedgerStore, { id }: PaymentRecord): Promise<PaymentRecord> {
  const payment = await store.load(id)
  if (payment === undefined) throw new Error(`payment ${id} is missing`)
  return payment
}

/** All that a store exports. */
export async function listed<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

export function exported(store: LedgerStore): Promise<readonly ExportedPayment[]> {
  return listed(store.exportPayments())
}

/**
 * Errors in the books: payments whose entries do not add up to their position, and refund transfers
 * that are not the sum of their refunds. Must be empty at every moment.
 */
export async function bookErrors(store: LedgerStore): Promise<readonly string[]> {
  const lines = await exported(store)
  const unbalanced = lines.filter(({ payment, entries }) => {
    const sums = new Map<string, bigint>()
    for (const { debit, credit, amount } of entries) {
      sums.set(debit, (sums.get(debit) ?? 0n) + amount)
      sums.set(credit, (sums.get(credit) ?? 0n) - amount)
    }
    const position = Object.entries(ledgerPosition(payment))
    return position.some(([account, amount]) => (sums.get(account) ?? 0n) !== amount)
  })
  const wrong = (await listed(store.exportRefunds())).filter((transfer) => {
    const shares = lines.flatMap(({ payment }) =>
      payment.refund?.nonce === transfer.nonce ? [payment.refund.amount] : [],
    )
    return sum(shares) !== transfer.amount
  })
  return [
    ...unbalanced.map(({ payment }) => `${payment.id} does not balance`),
    ...wrong.map(({ nonce }) => `refund transfer ${nonce} is not the sum of its refunds`),
  ]
}
