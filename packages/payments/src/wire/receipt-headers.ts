import type { Hex, PaymentId } from '@farebox/ledger'
import type { PaymentNetwork } from '../chain/network.ts'

export type Receipt = {
  readonly protocol: 1 | 2
  readonly network: PaymentNetwork
  readonly payer: Hex
  /** The transaction that settled; null while none is proven. */
  readonly transaction: Hex | null
  /** Why there is none, as x402 names it. */
  readonly reason?: string | undefined
  /** Atomic units that were paid. */
  readonly amount?: bigint | undefined
  readonly paymentId: PaymentId
}

/**
 * The headers of every answer to a payment that was claimed: the receipt in the client's protocol,
 * the payment's id, and word to clients that retry by themselves not to pay twice.
 */
export function receiptHeaders(receipt: Receipt): Readonly<Record<string, string>> {
  const header = receipt.protocol === 2 ? 'PAYMENT-RESPONSE' : 'X-PAYMENT-RESPONSE'
  return {
    [header]: Buffer.from(JSON.stringify(settlementOf(receipt))).toString('base64'),
    ...claimedHeaders(receipt.paymentId),
  }
}

/** The same without a receipt, for a payment whose protocol is not known any more. */
export function claimedHeaders(paymentId: PaymentId): Readonly<Record<string, string>> {
  return { 'X-Payment-Id': paymentId, 'x-should-retry': 'false' }
}

function settlementOf(receipt: Receipt): Readonly<Record<string, unknown>> {
  const { protocol, network, payer, transaction, reason, amount } = receipt
  return {
    success: transaction !== null,
    ...(transaction === null ? { errorReason: reason ?? 'settlement_pending' } : {}),
    payer,
    transaction: transaction ?? '',
    network: protocol === 2 ? network.caip2 : network.v1Name,
    ...(protocol === 2 && amount !== undefined ? { amount: amount.toString() } : {}),
  }
}
