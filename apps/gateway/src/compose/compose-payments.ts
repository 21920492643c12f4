import type { LedgerStore } from '@farebox/ledger'
import {
  type ChannelPolicy,
  type ChannelSellingOptions,
  type FacilitatorChoice,
  type Observer,
  openPaywall,
  type PaymentPolicy,
  type Paywall,
} from '@farebox/payments'
import type { ChainAccess } from '../chain/chain-access.ts'
import type { Config } from '../settings.ts'
import { channelMinimumOf } from './channel-minimum.ts'
import type { LimitsOf } from './read-payer-limits.ts'
import { sellsByChannel } from './sells-by-channel.ts'

export type PaymentsOptions = {
  readonly config: Config
  readonly access: ChainAccess
  readonly limitsOf: LimitsOf
  readonly store: LedgerStore
  readonly clock: () => number
  readonly onEvent: Observer
}

/** Opens the paying side as it is configured. */
export async function composePayments(options: PaymentsOptions): Promise<Paywall> {
  const { config, access, limitsOf, ...rest } = options
  const isSoldByChannel = await sellsByChannel(config, access)
  return openPaywall({
    ...rest,
    network: config.NETWORK,
    payerLimits: limitsOf,
    rpcUrl: access.rpcUrl,
    treasuryKey: access.treasuryKey,
    relayerKey: access.relayerKey,
    facilitator: facilitatorOf(config),
    refundMinimum: config.REFUND_MIN_USDC,
    dollarsPerEther: BigInt(config.USD_PER_ETH),
    policy: policyOf(config),
    monitoring: { ownAccounts: config.OWN_ACCOUNTS },
    channels: isSoldByChannel ? channelsOf(config) : undefined,
  })
}

function policyOf(config: Config): Partial<PaymentPolicy> {
  const { REFUND_CAP_USDC: maxRefund, REFUND_CAP_PER_HOUR_USDC: maxRefundsPerHour } = config
  const { REFUND_CONFIRMATIONS: refundConfirmations } = config
  const leaseMs = config.LEASE_SECONDS * 1000
  return {
    leaseMs,
    backgroundLeaseMs: leaseMs,
    resumeMs: config.RESUME_SECONDS * 1000,
    abandonCharge: config.MIN_CHARGE_USDC,
    ...(config.SETTLE_MODE !== 'first' && {
      maxRiskPerPayer: config.OVERLAP_CAP_PER_PAYER_USDC,
      maxRiskTotal: config.OVERLAP_CAP_USDC,
    }),
    ...(config.SETTLE_MODE === 'preconfirmed' && { releaseWith: 'preconfirmation' }),
    replayMs: config.REPLAY_SECONDS * 1000,
    maxRefundDelayMs: config.REFUND_MAX_DELAY_SECONDS * 1000,
    ...(maxRefund !== undefined && { maxRefund }),
    ...(maxRefundsPerHour !== undefined && { maxRefundsPerHour }),
    ...(refundConfirmations !== undefined && { refundConfirmations }),
  }
}

function channelsOf(config: Config): ChannelSellingOptions {
  const { CHANNEL_MAX_UNCLAIMED_USDC: maxUnclaimed } = config
  const { CHANNEL_MAX_UNCLAIMED_TOTAL_USDC: maxUnclaimedTotal } = config
  const { CHANNEL_MIN_DEPOSIT_USDC: minAskedDeposit } = config
  const policy: Partial<ChannelPolicy> = {
    minCharge: channelMinimumOf(config),
    withdrawDelaySeconds: config.CHANNEL_WITHDRAW_DELAY_SECONDS,
    ...(minAskedDeposit !== undefined && { minAskedDeposit }),
    ...(maxUnclaimed !== undefined && { maxUnclaimed }),
    ...(maxUnclaimedTotal !== undefined && { maxUnclaimedTotal }),
  }
  return { policy }
}

function facilitatorOf(config: Config): FacilitatorChoice | undefined {
  const { FACILITATOR_URL: url, CDP_API_KEY_ID, CDP_API_KEY_SECRET } = config
  if (CDP_API_KEY_ID !== undefined && CDP_API_KEY_SECRET !== undefined) {
    const credentials = { apiKeyId: CDP_API_KEY_ID, apiKeySecret: CDP_API_KEY_SECRET }
    return { ...credentials, ...(url && { url }) }
  }
  return url === undefined ? undefined : { url }
}
