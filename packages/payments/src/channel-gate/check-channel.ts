import type { ChannelConfig, Hex } from '@farebox/ledger'
import { zeroAddress } from '../chain/addresses.ts'
import { lowerHex } from '../chain/hex.ts'
import type { ChannelClaim } from '../channel/channel-payload.ts'
import type { ChannelPorts } from './channel-ports.ts'

/** Why a channel or its voucher is not accepted, as a code of x402. */
export type ChannelRejection = `invalid_batch_settlement_evm_${
  | 'receiver_mismatch'
  | 'receiver_authorizer_mismatch'
  | 'token_mismatch'
  | 'withdraw_delay_mismatch'
  | 'authorizer_address_mismatch'
  | 'payer'
  | 'channel_id_mismatch'
  | 'voucher_signature'}`

/**
 * Checks what a client claims about its channel: that it pays us, on the terms that every channel
 * has, and that the voucher is signed as the contract accepts it. In a channel without an
 * authorizer the payer's code would decide, and may decide differently when a claim is sent.
 */
export async function checkChannel(
  ports: Pick<ChannelPorts, 'channelTerms' | 'channelIdOf' | 'checkVoucher' | 'ownAccounts'>,
  { channelId, config, voucher }: ChannelClaim,
): Promise<ChannelRejection | null> {
  const mismatch = findMismatch(ports, config)
  if (mismatch !== null) return mismatch
  if (ports.channelIdOf(config) !== channelId) {
    return 'invalid_batch_settlement_evm_channel_id_mismatch'
  }
  return (await ports.checkVoucher({ channelId, config, voucher }))
    ? null
    : 'invalid_batch_settlement_evm_voucher_signature'
}

function findMismatch(
  { channelTerms, ownAccounts }: Pick<ChannelPorts, 'channelTerms' | 'ownAccounts'>,
  config: ChannelConfig,
): ChannelRejection | null {
  const { network, payTo, receiverAuthorizer, policy } = channelTerms
  const ours = lowerHex(payTo)
  if (config.receiver !== ours) return 'invalid_batch_settlement_evm_receiver_mismatch'
  if (config.receiverAuthorizer !== lowerHex(receiverAuthorizer)) {
    return 'invalid_batch_settlement_evm_receiver_authorizer_mismatch'
  }
  if (config.token !== network.usdc) return 'invalid_batch_settlement_evm_token_mismatch'
  if (config.withdrawDelay !== policy.withdrawDelaySeconds) {
    return 'invalid_batch_settlement_evm_withdraw_delay_mismatch'
  }
  if (config.payerAuthorizer === zeroAddress) {
    return 'invalid_batch_settlement_evm_authorizer_address_mismatch'
  }
  const cannotPay: readonly Hex[] = [zeroAddress, ours, ...ownAccounts.map(lowerHex)]
  return cannotPay.includes(config.payer) ? 'invalid_batch_settlement_evm_payer' : null
}
