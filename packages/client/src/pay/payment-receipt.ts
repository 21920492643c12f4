import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { decodePaymentResponseHeader } from '@x402/core/http'

/** What the headers of a paid answer say about its payment. */
export type PaymentReceipt = {
  /** For `payment(id)`; absent from a server that is no Farebox gateway. */
  readonly paymentId: string | undefined
  /** Whether the payment is settled on chain. */
  readonly settled: boolean
  /** The transaction that settled it. */
  readonly transaction: string | undefined
  /** CAIP-2 id of the chain, `eip155:84532`. */
  readonly network: string
  readonly payer: string | undefined
  /** What was paid up front; what the call did not cost comes back by itself. */
  readonly paid: Usdc | undefined
}

/** Reads the receipt of an answer, or `undefined` when it was not paid for. */
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
