import type { Authorization, Hex, PaymentId } from '@farebox/ledger'
import { toFunctionSelector } from 'viem'
import { transferSelector, transferTerms } from '../calls/transfer-call.ts'
import { bytesToHex } from '../chain/hex.ts'
import { keccak256 } from '../signature/keccak256.ts'

/** Why a payment is rejected that a gateway with another ledger has also claimed, and settled. */
export const soldElsewhere = 'sold_by_another_ledger'

const walletSelector = toFunctionSelector(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
)
const prefix = 'fa2eb0c5'
const markDigits = prefix.length + 16
const wordDigits = 64

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
  const end = endOfCall(data, transferTerms(authorization))
  if (end === undefined || !data.startsWith(prefix, end)) return null
  return `0x${data.slice(end, end + markDigits)}`
}

/**
 * Where the arguments of the call with these terms end. The place is exact: a payer chooses the
 * signature, and could write a mark into it.
 */
function endOfCall(data: Hex, terms: string): number | undefined {
  const byKey = data.indexOf(transferSelector.slice(2) + terms)
  const digits = transferSelector.length - 2 + terms.length
  if (byKey !== -1) return byKey + digits + 3 * wordDigits
  const byWallet = data.indexOf(walletSelector.slice(2) + terms)
  if (byWallet === -1) return undefined
  const length = byWallet + digits + wordDigits
  const signatureBytes = Number(`0x${data.slice(length, length + wordDigits)}`)
  return length + wordDigits + Math.ceil(signatureBytes / 32) * wordDigits
}
