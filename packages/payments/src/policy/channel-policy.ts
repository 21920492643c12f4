import { atomicUsdc, type Usdc } from '@farebox/money'
import { checkPolicy, PaymentPolicyError } from './check-policy.ts'

/**
 * Every time, amount and limit of payment channels. Milliseconds pass on our own clock, seconds on the
 * chain's. Gas is priced at 0.005 gwei and $3,000 an ETH.
 */
export type ChannelPolicy = {
  /**
   * How long a payer's withdrawal takes, in seconds, and so the longest outage of ours that costs
   * nothing. Every channel must have exactly this delay; channels with another one are no longer
   * accepted.
   */
  readonly withdrawDelaySeconds: number
  /** The minimum charge of a call. Exact payments cover two transactions and need more. */
  readonly minCharge: Usdc

  /** How many calls like the current one a deposit is asked to cover, within the next two limits. */
  readonly depositCalls: bigint
  /** The least that is asked for. The gas of a channel takes about 3 % of it. */
  readonly minAskedDeposit: Usdc
  /** The most that is asked for, unless the call itself needs more. */
  readonly maxAskedDeposit: Usdc
  /** A smaller deposit is refused. Clients may deposit less than asked: 5 times their spend cap. */
  readonly minDeposit: Usdc
  /** Deposits of one payer within `depositWindowMs`, and of all payers within an hour. */
  readonly depositsPerPayer: number
  readonly depositWindowMs: number
  readonly depositsPerHour: number
  /** The most gas of a deposit, by whether a key or code decides about its signature. */
  readonly depositGas: { readonly key: bigint; readonly wallet: bigint }

  /**
   * The most that one channel, and all together, may have charged and in flight but not yet
   * claimed.
   */
  readonly maxUnclaimed: Usdc
  readonly maxUnclaimedTotal: Usdc
  /**
   * Once half of `maxUnclaimedTotal` is used, a payer may have charged and in flight what was claimed
   * from its channels before, up to that half; or, if that is more, the rest of the limit divided by
   * this number.
   */
  readonly newPayers: bigint
  /** How long a corrected call is awaited before the next one of its channel is corrected. */
  readonly turnMs: number
  /**
   * How long the first of the calls that wait to be corrected waits at most, and how many calls of
   * one channel may wait.
   */
  readonly maxTurnWaitMs: number
  readonly maxWaiting: number
  /**
   * How long vouchers that were used more than `maxTurnWaitMs` ago are corrected at once and not
   * awaited, after the corrected call of one was not sent again within its turn.
   */
  readonly doubtMs: number

  /** How often the contract's events are read. */
  readonly watchMs: number
  /**
   * A channel with more to claim than this, or with claims older than this, is claimed in a batch.
   */
  readonly claimAbove: Usdc
  readonly claimAfterMs: number
  /** The same once a quarter of `maxUnclaimedTotal` is used: 20 times the gas. It falls to zero at the limit. */
  readonly minClaim: Usdc
  /** Channels in one batch of claims. */
  readonly claimBatchSize: number
  /** Claims are paid out to the treasury above this amount, and at least this often. */
  readonly settleAbove: Usdc
  readonly settleAfterMs: number
  /** A channel without a call for this long is closed if its rest is this many times its gas. */
  readonly idleMs: number
  readonly idleRestOfGas: bigint
  /** A refund that its payer requests is made at once if the channel was charged this much, or is this old. */
  readonly refundAtOnceAbove: Usdc
  readonly refundAtOnceAfterMs: number
  /** The gas of closings within an hour. */
  readonly closingGasPerHour: bigint
}

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour

export const defaultChannelPolicy: ChannelPolicy = {
  withdrawDelaySeconds: 86_400,
  minCharge: atomicUsdc(100n),

  depositCalls: 20n,
  minAskedDeposit: atomicUsdc(100_000n),
  maxAskedDeposit: atomicUsdc(5_000_000n),
  minDeposit: atomicUsdc(20_000n),
  depositsPerPayer: 5,
  depositWindowMs: 60 * second,
  depositsPerHour: 2_000,
  depositGas: { key: 300_000n, wallet: 700_000n },

  maxUnclaimed: atomicUsdc(5_000_000n),
  maxUnclaimedTotal: atomicUsdc(100_000_000n),
  newPayers: 500n,
  turnMs: 2 * second,
  maxTurnWaitMs: 20 * second,
  maxWaiting: 64,
  doubtMs: 600 * second,

  watchMs: 20 * second,
  claimAbove: atomicUsdc(1_000_000n),
  claimAfterMs: day,
  minClaim: atomicUsdc(20_000n),
  claimBatchSize: 100,
  settleAbove: atomicUsdc(10_000_000n),
  settleAfterMs: day,
  idleMs: 7 * day,
  idleRestOfGas: 10n,
  refundAtOnceAbove: atomicUsdc(20_000n),
  refundAtOnceAfterMs: hour,
  closingGasPerHour: 10_000_000n,
}

/** The contract accepts no other delays. */
const minDelaySeconds = 900
const maxDelaySeconds = 2_592_000

/**
 * The defaults with some changes.
 *
 * @throws {PaymentPolicyError} when the delay of withdrawals is not one that the contract takes,
 * `newPayers` is zero, a number is below zero, or a member is unknown or of another type.
 */
export function channelPolicy(changes: Partial<ChannelPolicy> = {}): ChannelPolicy {
  const policy = { ...defaultChannelPolicy, ...changes }
  const { withdrawDelaySeconds: delay } = policy
  if (!(delay >= minDelaySeconds && delay <= maxDelaySeconds)) {
    const range = `from ${minDelaySeconds} to ${maxDelaySeconds}`
    throw new PaymentPolicyError('withdrawDelaySeconds', `must be ${range} and is ${delay}`)
  }
  checkPolicy(policy, defaultChannelPolicy)
  if (policy.newPayers === 0n) {
    throw new PaymentPolicyError('newPayers', 'must be above zero and is 0')
  }
  return policy
}
