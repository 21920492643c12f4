type RefusedPayment = {
  readonly reasons: readonly string[]
  readonly cause: string
  readonly fix: string
}

const exactScheme = 'Pay with the `exact` entry of `accepts`'
const signAgain = 'Get a new 402 and sign its terms unchanged.'
const sameTerms = 'Open a channel with the terms of the `batch-settlement` entry of `accepts`.'

const either: readonly RefusedPayment[] = [
  {
    reasons: ['invalid_payment'],
    cause: 'The payment header cannot be read. The reason names the field.',
    fix: 'Send base64 JSON: version 2 in `PAYMENT-SIGNATURE` or version 1 in `X-PAYMENT`.',
  },
  {
    reasons: ['payer_refused'],
    cause:
      'Too many payments of this payer, of this network address or of contract wallets ended unserved, reverted or used too much gas.',
    fix: 'Wait until the time in the message, or pay from an account without code where the message names this.',
  },
  {
    reasons: ['authorization_expired'],
    cause: 'The authorization expired before it was settled.',
    fix: 'Sign a new one and send it at once.',
  },
  {
    reasons: ['authorization_canceled'],
    cause: 'The payer canceled the authorization on the chain.',
    fix: 'Sign a new one.',
  },
  {
    reasons: ['nonce_used_elsewhere'],
    cause: 'The nonce of the authorization was used for another transfer.',
    fix: 'Sign a new one with a random nonce.',
  },
  {
    reasons: ['sold_by_another_ledger'],
    cause: 'Another gateway with the same treasury has sold this authorization.',
    fix: 'Sign a new one for each request.',
  },
  {
    reasons: ['eip6492_factory_not_allowed'],
    cause: 'The smart wallet is not deployed, and its factory is not allowed.',
    fix: 'Deploy the wallet first.',
  },
]

const exact: readonly RefusedPayment[] = [
  {
    reasons: ['invalid_exact_evm_scheme'],
    cause: 'The scheme of the payment is not offered.',
    fix: 'Choose an entry of `accepts`.',
  },
  {
    reasons: [
      'invalid_exact_evm_network_mismatch',
      'invalid_batch_settlement_evm_network_mismatch',
    ],
    cause: 'The payment is for another chain.',
    fix: 'Sign for the `network` of `accepts`.',
  },
  {
    reasons: ['invalid_exact_evm_asset_mismatch'],
    cause: 'The payment is in another token.',
    fix: 'Sign for the `asset` of `accepts`.',
  },
  {
    reasons: ['invalid_exact_evm_recipient_mismatch'],
    cause: 'The payment goes to another account.',
    fix: 'Sign for the `payTo` of `accepts`.',
  },
  {
    reasons: ['invalid_exact_evm_payload_authorization_value_mismatch'],
    cause: 'The amount is not the price: the request or the price list has changed.',
    fix: signAgain,
  },
  {
    reasons: ['invalid_exact_evm_payer', 'invalid_batch_settlement_evm_payer'],
    cause: 'The payer is an account of the service, or the zero address.',
    fix: 'Pay from another account.',
  },
  {
    reasons: [
      'invalid_exact_evm_payload_authorization_valid_after',
      'invalid_batch_settlement_evm_payload_authorization_valid_after',
    ],
    cause: '`validAfter` is in the future.',
    fix: 'Check the clock of the client.',
  },
  {
    reasons: [
      'invalid_exact_evm_payload_authorization_valid_before',
      'invalid_batch_settlement_evm_payload_authorization_valid_before',
    ],
    cause: '`validBefore` is in the past, too close or too far ahead.',
    fix: 'Check the clock of the client, and sign for `maxTimeoutSeconds` of `accepts`.',
  },
  {
    reasons: ['invalid_exact_evm_signature', 'invalid_batch_settlement_evm_signature'],
    cause: 'The signature is not that of the payer, or the code of the payer does not accept it.',
    fix: 'Sign with the key of the payer and the token’s name and version in `extra`. Deploy a contract wallet first, and remove an EIP-7702 delegation that does not accept signatures.',
  },
  {
    reasons: [
      'invalid_exact_evm_insufficient_balance',
      'invalid_batch_settlement_evm_insufficient_balance',
    ],
    cause: 'The payer holds less USDC than the payment needs.',
    fix: 'Fund the payer on this chain, or lower the maximum price with `max_tokens`.',
  },
  {
    reasons: [
      'invalid_exact_evm_transaction_simulation_failed',
      'invalid_batch_settlement_evm_deposit_simulation_failed',
    ],
    cause: 'The transfer would fail on the chain: a blocklist, a paused token, or too much gas.',
    fix: 'Pay from another account, or try again later.',
  },
]

const misconfigured: readonly RefusedPayment[] = [
  {
    reasons: [
      'asset_not_deployed_contract',
      'invalid_exact_evm_eip3009_not_supported',
      'invalid_exact_evm_missing_eip712_domain',
      'invalid_exact_evm_token_name_mismatch',
      'invalid_exact_evm_token_version_mismatch',
    ],
    cause: "The gateway's settings of the token do not match the chain.",
    fix: 'Report it to the operator.',
  },
  {
    reasons: [
      'invalid_exact_evm_authorization_value',
      'invalid_exact_evm_failed_to_parse_signature',
    ],
    cause: 'The amount or the signature has a form that cannot be settled.',
    fix: signAgain,
  },
]

const channels: readonly RefusedPayment[] = [
  {
    reasons: ['invalid_payment_requirements'],
    cause: '`accepted.amount` is not that of an entry of `accepts`: the price has changed.',
    fix: signAgain,
  },
  {
    reasons: [
      'invalid_batch_settlement_evm_receiver_mismatch',
      'invalid_batch_settlement_evm_receiver_authorizer_mismatch',
      'invalid_batch_settlement_evm_token_mismatch',
      'invalid_batch_settlement_evm_withdraw_delay_mismatch',
    ],
    cause: '`channelConfig` does not have the terms of this gateway.',
    fix: sameTerms,
  },
  {
    reasons: [
      'invalid_batch_settlement_evm_authorizer_address_mismatch',
      'invalid_batch_settlement_evm_voucher_signature',
    ],
    cause: 'The voucher is not signed by the key of `channelConfig.payerAuthorizer`.',
    fix: 'Name a key as `payerAuthorizer`, and sign vouchers with it. A contract wallet cannot sign them.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_channel_id_mismatch'],
    cause: '`voucher.channelId` is not the id of `channelConfig`.',
    fix: 'Compute the id from the same `channelConfig`.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_payload_type'],
    cause: 'A call is paid with a `refund` payload.',
    fix: 'Pay with a `voucher` or `deposit` payload; send a `refund` to `GET /v1/channel`.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_deposit_below_min_deposit'],
    cause: 'The deposit is too small.',
    fix: 'Deposit at least the amount in the message.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_cumulative_exceeds_balance'],
    cause: 'The channel and the deposit together do not cover the call.',
    fix: 'Deposit more.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_cumulative_amount_mismatch'],
    cause: 'The voucher does not continue from what the channel was charged.',
    fix: 'Sign another one from the `channelState` of the 402. x402 clients do this on their own.',
  },
  {
    reasons: ['deposit_not_needed'],
    cause: 'The channel covers the call without the deposit, which was not sent.',
    fix: 'Pay with a voucher.',
  },
  {
    reasons: ['too_many_deposits'],
    cause: 'This payer, or all payers together, have made too many deposits.',
    fix: `${exactScheme}, or deposit later.`,
  },
  {
    reasons: ['channel_not_known'],
    cause: 'The channel holds a deposit that the gateway has not read.',
    fix: `${exactScheme}. If this lasts, withdraw the deposit or open another channel.`,
  },
  {
    reasons: ['channel_closing', 'channel_withdrawal_pending'],
    cause: 'The rest of the channel is being returned or withdrawn.',
    fix: `${exactScheme}, or open another channel.`,
  },
  {
    reasons: ['channel_frozen'],
    cause: 'The channel is closed for good.',
    fix: 'Open another channel. Withdraw the rest from the contract.',
  },
  {
    reasons: ['channel_unreadable'],
    cause: 'The record of the channel in the gateway is damaged.',
    fix: `${exactScheme}, and report it to the operator.`,
  },
  {
    reasons: ['channel_limit_reached', 'channel_payer_limit_reached', 'channels_limit_reached'],
    cause:
      'The channel, the channels of the payer or all channels together have reached their limit.',
    fix: `${exactScheme}, or wait for the next claim.`,
  },
  {
    reasons: ['channels_not_watched', 'channel_claims_failing'],
    cause: 'Payment channels are unavailable for the moment.',
    fix: `${exactScheme}, or try again later.`,
  },
  {
    reasons: ['payments_unavailable', 'payer_limit_reached'],
    cause:
      'The deposit was made, but sales were stopped or the payer reached a limit meanwhile. The deposit stays in its channel.',
    fix: 'Send the call again later, paid with a voucher.',
  },
]

const channelRefunds: readonly RefusedPayment[] = [
  {
    reasons: ['invalid_batch_settlement_evm_refund_payload'],
    cause: 'The payload is not one that `GET /v1/channel` takes. The reason names the field.',
    fix: 'Send a `deposit` or `refund` payload of version 2.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_channel_not_found'],
    cause: 'The gateway has no record of the channel.',
    fix: 'Check `channelConfig`. A deposit opens a channel.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_refund_no_balance'],
    cause: 'The channel has nothing left to refund.',
    fix: 'Nothing to do: no refund is due.',
  },
  {
    reasons: ['invalid_batch_settlement_evm_refund_amount_invalid'],
    cause: 'A refund returns all that is left.',
    fix: 'Leave out `amount`.',
  },
  {
    reasons: ['refund_too_early'],
    cause: 'The channel was charged too little to be closed yet.',
    fix: 'Ask again after the time in the reason, or withdraw the rest from the contract.',
  },
]

/**
 * The reasons for which a payment is refused with 402, as a section in Markdown. A test compares them
 * with the sources of @farebox/payments.
 */
export const refusedPayments: string = [
  '## Refused payments',
  '',
  'A 402 that refuses a payment says why in its message and in `error` of `PAYMENT-REQUIRED`, which begins with one of these reasons. The payment was not and will not be used, unless the response has the receipt of a deposit.',
  '',
  '| reason | cause | fix |',
  '|---|---|---|',
  ...[...either, ...exact, ...misconfigured, ...channels, ...channelRefunds].map(
    ({ reasons, cause, fix }) =>
      `| ${reasons.map((reason) => `\`${reason}\``).join(', ')} | ${cause} | ${fix} |`,
  ),
].join('\n')
