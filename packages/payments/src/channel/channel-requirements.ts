import type { Hex } from '@farebox/ledger'
import { greatest, least, times, type Usdc } from '@farebox/money'
import { getAddress } from 'viem'
import type { ChannelPolicy } from '../policy/channel-policy.ts'
import type { PaymentTerms } from '../wire/payment-requirements.ts'

/** What every channel that pays us agrees on. */
export type ChannelTerms = PaymentTerms & {
  /** The address whose signature claims and refunds, in lower-case hexadecimal. */
  readonly receiverAuthorizer: Hex
  readonly policy: ChannelPolicy
}

/** The state of a channel, for a client whose own state is outdated. Amounts are atomic units. */
export type ChannelState = {
  readonly channelState: {
    readonly channelId: Hex
    readonly balance: string
    readonly totalClaimed: string
    readonly withdrawRequestedAt: number
    readonly refundNonce: string
    readonly chargedCumulativeAmount: string
  }
  readonly voucherState?: { readonly signedMaxClaimable: string; readonly signature: Hex }
}

/** The entry of a 402 for payment channels, as x402 v2 defines it. */
export type ChannelRequirements = {
  readonly scheme: 'batch-settlement'
  readonly network: `eip155:${number}`
  /** The most that this call can cost. */
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: {
    readonly name: string
    readonly version: string
    readonly receiverAuthorizer: string
    readonly withdrawDelay: number
    /** The minimum that a client is asked to deposit. */
    readonly minDeposit: string
  } & Partial<ChannelState>
}

/** The entry for a call with this maximum. */
export function channelRequirements(
  terms: ChannelTerms,
  amount: Usdc,
  state?: ChannelState,
): ChannelRequirements {
  const { network, payTo, receiverAuthorizer, maxTimeoutSeconds, policy } = terms
  return {
    scheme: 'batch-settlement',
    network: network.caip2,
    amount: amount.toString(),
    asset: getAddress(network.usdc),
    payTo: getAddress(payTo),
    maxTimeoutSeconds,
    extra: {
      ...network.domain,
      receiverAuthorizer: getAddress(receiverAuthorizer),
      withdrawDelay: policy.withdrawDelaySeconds,
      minDeposit: askedDeposit(policy, amount).toString(),
      ...state,
    },
  }
}

/** Enough for a number of such calls, and for the gas of the deposit to be a small part of it. */
function askedDeposit(policy: ChannelPolicy, amount: Usdc): Usdc {
  const forCalls = times(amount, policy.depositCalls)
  const asked = greatest(forCalls, policy.minAskedDeposit)
  return greatest(least(asked, policy.maxAskedDeposit), amount)
}
