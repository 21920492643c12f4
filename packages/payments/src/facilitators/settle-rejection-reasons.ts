/**
 * Reasons for which the settlement code of `@x402/evm` rejects a payment before it broadcasts
 * anything. Not among them: a used nonce (the earlier use may be our own settlement), and every reason
 * that is also given after a broadcast.
 */
const reasons: ReadonlySet<string> = new Set([
  'asset_not_deployed_contract',
  'eip6492_factory_not_allowed',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_exact_evm_transaction_simulation_failed',
])

/** Whether a reason is only ever given before anything was sent. */
export function isRejectedBeforeBroadcast(reason: string): boolean {
  return reasons.has(reason)
}
