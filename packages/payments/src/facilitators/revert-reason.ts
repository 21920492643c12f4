import type { Hex } from '@farebox/ledger'
import { decodeErrorResult, parseAbi } from 'viem'

/** The code of x402 for an authorization that is not valid yet. */
export const notYetValid = 'invalid_exact_evm_payload_authorization_valid_after'

/** The token's messages when it rejects a transfer, and x402's codes for them. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/authorization.*expired/i, 'invalid_exact_evm_payload_authorization_valid_before'],
  [/authorization.*not.*valid/i, notYetValid],
  [/authorization.*used/i, 'invalid_exact_evm_nonce_already_used'],
  [/exceeds.*balance|insufficient.*balance/i, 'invalid_exact_evm_insufficient_balance'],
  [/invalid.*signature/i, 'invalid_exact_evm_signature'],
]

/** The code of x402 for the message of a transfer that would revert. */
export function revertReason(message: string): string {
  const known = reasons.find(([pattern]) => pattern.test(message))
  return known?.[1] ?? 'invalid_exact_evm_transaction_simulation_failed'
}

const errorAbi = parseAbi(['error Error(string message)'])
const errorSelector = '0x08c379a0'

/** The message in what a failed call returned; empty when it holds none. */
export function revertMessageOf(returnData: Hex): string {
  if (!returnData.startsWith(errorSelector)) return ''
  try {
    return decodeErrorResult({ abi: errorAbi, data: returnData }).args[0]
  } catch {
    // The token is configured by us, but a proxy in front of it may return anything.
    return ''
  }
}
