import type { Authorization, Hex, PaymentId } from '@farebox/ledger'
import { keccak256, stringToBytes } from 'viem'
import { transferTerms } from './transfer-call.ts'

/** Why a payment is rejected that a gateway with another ledger has claimed too, and settled. */
export const soldElsewhere = 'sold_by_another_ledger'

const prefix = 'fa2eb0c5'
const markDigits = prefix.length + 16

/**
 * What stands behind the data of a settlement's call, where a token does not read it. It names the payment to
 * those who know its id, and shows others nothing: an authorization that two ledgers have claimed is sold by
 * the one whose mark is on the chain. 12 bytes.
 */
export function saleMark(id: PaymentId): Hex {
  return `0x${prefix}${keccak256(stringToBytes(id)).slice(2, 18)}`
}

/** The mark of an authorization in the data of the transaction that executed it; null if it has none. */
export function findSaleMark(data: Hex, authorization: Authorization): Hex | null {
  const terms = transferTerms(authorization)
  const start = data.indexOf(terms)
  if (start === -1) return null
  const at = data.indexOf(prefix, start + terms.length)
  return at === -1 ? null : `0x${data.slice(at, at + markDigits)}`
}
