import { isRecord } from '../http/is-record.ts'
import { readSettlement } from '../pay/payment-receipt.ts'
import { isAmount } from './channel-offer.ts'

/** What the headers of a response state about the call and its deposit. Atomic units. */
export type ChannelReceipt = {
  /** What is charged for the call: the ceiling, for a stream that has not ended. */
  readonly chargedAmount: bigint
  /** What the call cost, once it has ended. */
  readonly cost: bigint | undefined
  /** The deposit that the request made; 0 for none. */
  readonly deposited: bigint
}

/** Reads the receipt of a call that was paid from a channel; `undefined` without one. */
export function readChannelReceipt(headers: Headers): ChannelReceipt | undefined {
  const settlement = readSettlement(headers)
  if (!isRecord(settlement?.['extra'])) return undefined
  const { chargedAmount, cost } = settlement['extra']
  const { transaction, amount } = settlement
  if (!isAmount(chargedAmount)) return undefined
  const deposited = transaction !== '' && isAmount(amount) ? BigInt(amount) : 0n
  return {
    chargedAmount: BigInt(chargedAmount),
    cost: isAmount(cost) ? BigInt(cost) : undefined,
    deposited,
  }
}
