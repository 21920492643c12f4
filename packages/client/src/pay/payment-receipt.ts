import { parseAtomicUsdc, type Usdc } from '@farebox/money'
import { isRecord } from '../http/is-record.ts'
import { isText } from '../http/is-text.ts'
import { decodeBase64Json } from './base64-json.ts'
import type { ChannelUnused } from './channel-unused.ts'

/**
 * The payment as described by the headers of a paid response. For a call that is paid from a channel,
 * `transaction` and `paid` are of the deposit that it made, and `undefined` if it made none.
 */
export type PaymentReceipt = {
  /** For `payment(id)`. Only Farebox gateways send it. */
  readonly paymentId: string | undefined
  /** Whether the server accepted the payment: on chain, or for a channel as a signed promise. */
  readonly settled: boolean
  /** The transaction that settled it. */
  readonly transaction: string | undefined
  /** CAIP-2 id of the chain, `eip155:84532`. */
  readonly network: string
  readonly payer: string | undefined
  /** The amount paid up front; the unused part is refunded, and of a deposit it stays in the channel. */
  readonly paid: Usdc | undefined
  /** Why a client with the option `channel` paid this call by `exact`. Not in the headers. */
  readonly channelUnused?: ChannelUnused
}

/** Reads the receipt of a response; `undefined` if the response was not paid for. */
export function readReceipt(headers: Headers): PaymentReceipt | undefined {
  const settlement = readSettlement(headers)
  if (settlement === undefined) return undefined
  const { success, transaction, network, payer, amount } = settlement
  return {
    paymentId: headers.get('x-payment-id') ?? undefined,
    settled: success === true,
    transaction: textOf(transaction),
    network: textOf(network) ?? '',
    payer: textOf(payer),
    paid: isText(amount) && /^\d{1,78}$/.test(amount) ? parseAtomicUsdc(amount) : undefined,
  }
}

/** The header `PAYMENT-RESPONSE`; `undefined` without one that can be read. */
export function readSettlement(headers: Headers): Readonly<Record<string, unknown>> | undefined {
  try {
    const settlement = decodeBase64Json(headers.get('payment-response') ?? '')
    return isRecord(settlement) ? settlement : undefined
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string | undefined {
  return isText(value) && value !== '' ? value : undefined
}
