/**
 * Reasons for which the settlement code of `@x402/evm` rejects a payment before it broadcasts
 * anything. Not among them: a used nonce (the earlier use may be our own settlement), and every reason
 * that is also given after a broadcast.
 */
const beforeBroadcast: ReadonlySet<string> = new Set([
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
  return beforeBroadcast.has(reason)
}

/** Reasons that say nothing about whether a transaction was sent. */
const others: ReadonlySet<string> = new Set([
  'facilitator_fault',
  'insufficient_funds',
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_transaction_failed',
  'invalid_exact_evm_transfer_event_mismatch',
  'invalid_network',
  'invalid_payload',
  'invalid_scheme',
  'invalid_transaction_state',
  'invalid_x402_version',
  'settle_exact_failed_onchain',
  'settle_exact_node_failure',
  'settlement_pending',
  'smart_wallet_deployment_failed',
  'transaction_failed',
  'unexpected_settle_error',
  'unexpected_verify_error',
])

/**
 * A facilitator's reason if it is a known code, else `other`: what is stored and logged never
 * repeats the text of a remote service, which may hold a credential.
 */
export function knownReason(reason: string): string {
  return beforeBroadcast.has(reason) || others.has(reason) ? reason : 'other'
}
