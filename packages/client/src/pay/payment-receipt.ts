import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { decodePaymentResponseHeader } from '@x402/core/http'

/** The payment as described by the headers of a paid response. */
export type PaymentReceipt = {
  /** For `payment(id)`. Only Farebox gateways send it. */
  readonly paymentId: string | undefined
  /** Whether the payment is settled on chain. */
  readonly settled: boolean
  /** The transaction that settled it. */
  readonly transaction: string | undefined
  /** CAIP-2 id of the chain, `eip155:84532`. */
  readonly network: string
  readonly payer: string | undefined
  /** The amount paid up front; the unused part is refunded automatically. */
  readonly paid: Usdc | undefined
}

/** Reads the receipt of a response; `undefined` if the response was not paid for. */
export function readReceipt(headers: Headers): PaymentReceipt | undefined {
  const encoded = headers.get('payment-response')
  if (encoded === null) return undefined
  try {
    const { success, transaction, network, payer, amount } = decodePaymentResponseHeader(encoded)
    return {
      paymentId: headers.get('x-payment-id') ?? undefined,
      settled: success,
      transaction: transaction === '' ? undefined : transaction,
      network,
      payer,
      paid: amount === undefined ? undefined : parseAtomicUsdc(amount),
    }
  } catch {
    return undefined
  }
}
