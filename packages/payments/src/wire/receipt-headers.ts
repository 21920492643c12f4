import type { Hex, PaymentId } from '@farebox/ledger'
import type { PaymentNetwork } from '../chain/network.ts'
import { encodeHeader } from './payment-envelope.ts'

export type Receipt = {
  readonly protocol: 1 | 2
  readonly network: PaymentNetwork
  readonly payer: Hex
  /** The transaction that settled the payment; null until one is proven. */
  readonly transaction: Hex | null
  /** The amount paid, in atomic units. */
  readonly amount?: bigint | undefined
  readonly paymentId: PaymentId
}

/**
 * The headers of every response to a claimed payment: the receipt in the client's protocol, the
 * payment's id, and a hint to clients that retry automatically not to pay twice.
 */
export function receiptHeaders(receipt: Receipt): Readonly<Record<string, string>> {
  const header = receipt.protocol === 2 ? 'PAYMENT-RESPONSE' : 'X-PAYMENT-RESPONSE'
  return {
    [header]: encodeHeader(settlementOf(receipt)),
    ...claimedHeaders(receipt.paymentId),
  }
}

/** The headers without a receipt, for a payment whose protocol is no longer known. */
export function claimedHeaders(paymentId: PaymentId): Readonly<Record<string, string>> {
  return { 'X-Payment-Id': paymentId, 'x-should-retry': 'false' }
}

function settlementOf(receipt: Receipt): Readonly<Record<string, unknown>> {
  const { protocol, network, payer, transaction, amount } = receipt
  return {
    success: transaction !== null,
    ...(transaction === null ? { errorReason: 'settlement_pending' } : {}),
    payer,
    transaction: transaction ?? '',
    network: protocol === 2 ? network.caip2 : network.v1Name,
    ...(protocol === 2 && amount !== undefined ? { amount: amount.toString() } : {}),
  }
}
