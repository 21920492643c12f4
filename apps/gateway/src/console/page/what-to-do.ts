import type { Health } from '@farebox/api'

type Issue = NonNullable<Health['issues']>[number]

/** What each issue of the health means, and what ends it. */
export const issueWords: Readonly<Record<Issue, string>> = {
  stopping: 'The gateway is stopping.',
  sales_stopped:
    'Nothing is sold: the treasury holds too little, the relayer has no ETH, or money moved that is not in this ledger. The log line sales_stopped has the reason; run audit.',
  chain_unavailable:
    'Nothing is sold: the node at RPC_URL does not respond or is behind, or the clock of the gateway is wrong.',
  chain_wrong: 'Nothing is sold: the node at RPC_URL serves another chain or token.',
  database_unavailable: 'Nothing is sold: the database of the ledger does not respond.',
  facilitator_unavailable: 'Nothing is sold: the facilitator does not respond, or refuses.',
  redis_unavailable: 'Redis does not respond: each replica counts requests on its own.',
  channels_stopped:
    'Nothing is sold from channels: restore the node, or send ETH to the relayer, before payers can withdraw.',
  refunds_paused: 'No refund is sent: the page of refunds says why.',
  rows_unreadable: 'A row of the ledger cannot be read: run audit, which names it.',
  provider_key_rejected: 'A provider rejects its key: replace the key, and restart.',
  models_unavailable: 'A listed model cannot be sold: all its providers fail or reject their keys.',
  operator_files_refused:
    'A file of models, prices or limits has a mistake, which the log names. Its former content applies.',
}

/** What stops a refund, and what ends it. */
const obstacles: Readonly<Record<string, string>> = {
  blacklisted_payee: 'the issuer of USDC has blocked this payee; tried again once a day',
  reverts: 'the token rejects a transfer to this payee; tried again once a day',
  authorization_canceled: 'the treasury’s key canceled it: was that you?',
  nonce_used_elsewhere: 'its nonce was used for another transfer: run audit',
  settlement_lost: 'one of its payments disappeared from the chain',
  no_gas: 'send ETH to the relayer',
  treasury_empty: 'send USDC to the treasury',
  fee_cap: 'gas is above 100 gwei: wait',
  rpc_down: 'the node does not respond: restore it',
  ledger_down: 'the database does not respond: restore it',
  signer_down: 'the signer does not respond: restore it',
  hourly_cap: 'REFUND_CAP_PER_HOUR_USDC is reached: run audit',
  refund_cap: 'more than REFUND_CAP_USDC: run audit, then raise it',
  token_paused: 'the issuer has paused USDC: wait',
  treasury_blacklisted: 'the issuer of USDC has blocked the treasury: ask it why',
  write_off_requested: 'will be written off once its signatures have expired',
}

/** A reason for a blocked refund, with what it means or what to do, as far as that is known. */
export function obstacleText(reason: string): string {
  const words = obstacles[reason]
  return words === undefined ? reason : `${reason}: ${words}`
}
