import type { Authorization, Hex, PaymentId } from '@farebox/ledger'
import { findExecutedCall } from '../calls/executed-call.ts'
import { bytesToHex } from '../chain/hex.ts'
import { keccak256 } from '../signature/keccak256.ts'

/** Why a payment is rejected that a gateway with another ledger has also claimed, and settled. */
export const soldElsewhere = 'sold_by_another_ledger'

const prefix = 'fa2eb0c5'
const markDigits = prefix.length + 16

/**
 * The 12 bytes that follow the data of a settlement's call, which a token does not read. They identify
 * the payment only to a reader that has its id. Of two ledgers that have claimed an authorization, the
 * one whose mark is on the chain has sold it.
 */
export function saleMark(id: PaymentId): Hex {
  return `0x${prefix}${bytesToHex(keccak256(Buffer.from(id))).slice(2, 18)}`
}

/** The mark of an authorization in the data of the transaction that executed it; null if it has none. */
export function findSaleMark(data: Hex, authorization: Authorization): Hex | null {
  const end = findExecutedCall(data, authorization)?.end
  if (end === undefined || !data.startsWith(prefix, end)) return null
  return `0x${data.slice(end, end + markDigits)}`
}
