import { formatUsdc, type Usdc } from '@farebox/money'
import type { MismatchReason } from '../wire/decode-payment.ts'
import type { PaymentTerms } from '../wire/payment-requirements.ts'
import { type CheckRejection, minValiditySeconds } from './check-payment.ts'

/** What would have been accepted. */
export type AcceptedPayment = PaymentTerms & { readonly amount: Usdc }

/** What to change about a payment that was not accepted, by its x402 code. */
export function rejectionText(reason: string, accepted: AcceptedPayment): string | undefined {
  // A deposit is an authorization like that of an exact payment.
  const ofExact = reason.replace('invalid_batch_settlement_evm_', 'invalid_exact_evm_')
  return (texts.get(reason) ?? texts.get(ofExact))?.(accepted)
}

type Explained =
  | MismatchReason
  | CheckRejection
  | 'invalid_batch_settlement_evm_network_mismatch'
  | 'invalid_batch_settlement_evm_deposit_simulation_failed'
  | 'invalid_batch_settlement_evm_voucher_signature'
  | 'invalid_batch_settlement_evm_authorizer_address_mismatch'
  | 'invalid_batch_settlement_evm_receiver_mismatch'
  | 'invalid_batch_settlement_evm_receiver_authorizer_mismatch'
  | 'invalid_batch_settlement_evm_token_mismatch'
  | 'invalid_batch_settlement_evm_withdraw_delay_mismatch'
  | 'invalid_exact_evm_transaction_simulation_failed'
  | 'invalid_batch_settlement_evm_channel_id_mismatch'
  | 'invalid_batch_settlement_evm_payload_type'
  | 'invalid_exact_evm_insufficient_balance'
  | 'invalid_payment_requirements'
  | 'authorization_canceled'
  | 'authorization_expired'
  | 'nonce_used_elsewhere'
  | 'sold_by_another_ledger'

const textsByReason: Readonly<Record<Explained, (accepted: AcceptedPayment) => string>> = {
  invalid_exact_evm_scheme: () => 'Its scheme is not offered: choose an entry of accepts.',
  invalid_exact_evm_network_mismatch: anotherNetwork,
  invalid_batch_settlement_evm_network_mismatch: anotherNetwork,
  invalid_exact_evm_payload_authorization_value_mismatch: anotherAmount,
  invalid_payment_requirements: () =>
    'Its amount is not that of an entry of accepts: choose one of this 402.',
  invalid_exact_evm_recipient_mismatch: ({ payTo }) => `Its payee must be ${payTo}.`,
  invalid_exact_evm_asset_mismatch: ({ network }) => `Its token must be USDC, ${network.usdc}.`,
  invalid_exact_evm_payer: () =>
    'Its payer is an account of this service, or the zero address. Pay from another account.',
  invalid_exact_evm_payload_authorization_valid_after: () =>
    'Its validAfter is in the future: check the clock of the client.',
  invalid_exact_evm_payload_authorization_valid_before: ({ maxTimeoutSeconds }) =>
    `Its validBefore is in the past, less than ${minValiditySeconds} seconds ahead, or too far ahead: check the clock of the client. Sign one that is valid for ${maxTimeoutSeconds} seconds.`,
  invalid_exact_evm_signature: anotherSigner,
  eip6492_factory_not_allowed: () =>
    'Its wallet is not deployed, and its factory is not allowed here. Deploy the wallet first.',
  invalid_exact_evm_transaction_simulation_failed: wouldRevert,
  invalid_batch_settlement_evm_deposit_simulation_failed: wouldRevert,
  invalid_batch_settlement_evm_voucher_signature: anotherAuthorizer,
  invalid_batch_settlement_evm_authorizer_address_mismatch: anotherAuthorizer,
  invalid_batch_settlement_evm_receiver_mismatch: otherTerms,
  invalid_batch_settlement_evm_receiver_authorizer_mismatch: otherTerms,
  invalid_batch_settlement_evm_token_mismatch: otherTerms,
  invalid_batch_settlement_evm_withdraw_delay_mismatch: otherTerms,
  invalid_batch_settlement_evm_channel_id_mismatch: () =>
    'Its voucher.channelId must be the id of its channelConfig.',
  invalid_batch_settlement_evm_payload_type: () =>
    'A call is paid with a voucher or deposit payload: send a refund payload to GET /v1/channel.',
  invalid_exact_evm_insufficient_balance: () =>
    'The payer holds less USDC than it signed for. Fund it, or pay from another account.',
  authorization_canceled: () => 'Its payer canceled it on the chain. Sign a new one.',
  authorization_expired: () =>
    'It expired before it was settled. Sign a new one and send it at once.',
  nonce_used_elsewhere: () =>
    'Its nonce was used for another transfer. Sign one with a random nonce.',
  sold_by_another_ledger: () =>
    'Another gateway with this treasury sold it. Sign a new one for each request.',
}

const texts = new Map<string, (accepted: AcceptedPayment) => string>(Object.entries(textsByReason))

function anotherNetwork({ network: { caip2, v1Name } }: AcceptedPayment): string {
  return `Its network must be ${caip2}, or ${v1Name} in x402 version 1.`
}

/** The codes of x402 do not say why the token rejects a transfer. */
function wouldRevert(): string {
  return 'The transfer would fail on the chain: the payer or the payee is on the blocklist of the token, the token is paused, or the code of the payer needs too much gas. Pay from another account, or try again later.'
}

function anotherAmount({ amount }: AcceptedPayment): string {
  return `Its amount must be ${amount} atomic units, which are ${formatUsdc(amount)} USDC.`
}

function anotherSigner({ network: { chainId, usdc, domain } }: AcceptedPayment): string {
  return `Its signature is not that of its payer. Sign TransferWithAuthorization of token ${usdc} on chain ${chainId}, with the domain name "${domain.name}" and version "${domain.version}". If the payer is a contract wallet, it must be deployed and its code must accept the signature (ERC-1271).`
}

/** By default, x402 clients make the wallet itself the authorizer. */
function anotherAuthorizer(): string {
  return 'Its voucher must be signed by the key of channelConfig.payerAuthorizer, in 65 bytes. A contract wallet cannot sign vouchers: name a key as payerAuthorizer (the option voucherSigner of x402 clients).'
}

function otherTerms(): string {
  return 'Its channelConfig must have the receiver, receiverAuthorizer, token and withdrawDelay of the batch-settlement entry of accepts.'
}
