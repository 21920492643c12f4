import { atomicUsdc, type Usdc } from '@farebox/money'
import { checkPolicy, PaymentPolicyError } from './check-policy.ts'

/**
 * Every time, size and limit of the paying side. Milliseconds pass on our own clock, seconds
 * on the chain's. Confirmations count blocks, that of the transaction being the first.
 */
export type PaymentPolicy = {
  /** How long a 402 may be paid. */
  readonly maxTimeoutSeconds: number
  /** How long after its `validBefore` an unused authorization is void. */
  readonly voidMarginSeconds: number
  /** How long a refund's signature is valid. The next one has the same nonce and amount. */
  readonly refundValiditySeconds: number

  /** How long a facilitator may take before its outcome counts as unknown. */
  readonly settleTimeoutMs: number
  /**
   * The most gas that a settlement may use, by whether a key or code decides about the payer's
   * signature. A settlement that needs more is refused before it is sent.
   */
  readonly settlementGas: SettlementGas
  /** How long a payment that ended unserved because of its payer counts against the payer. */
  readonly payerFaultWindowMs: number
  /** A payer with this many of them in that time is refused. */
  readonly faultsPerPayer: number
  /** A payer with this many settlements that reverted on the chain in that time is refused. */
  readonly revertsPerPayer: number
  /** The same for all payers with the same code, unless they have none. */
  readonly revertsPerCode: number
  /**
   * The most settlements of payers with code that are in progress or reverted within an hour, per
   * network address of the client and in total, in this process.
   */
  readonly revertsPerAddress: number
  readonly revertsPerHour: number
  /**
   * A network address with this many payments within an hour that ended unserved because of their
   * client is refused. Counted in this process. With `settlementGas.key` for each, it is also the gas
   * that payers with code may use there beyond that of keys, for calls that do not pay for it.
   */
  readonly unservedPerAddress: number
  /**
   * What a provider may bill for an unserved payment counts there as one payment for each of this
   * amount. A payment counts as one at least if its payer is to blame, and else as a part of one.
   */
  readonly unservedCost: Usdc
  /**
   * With this many of all addresses in that hour, an address is refused at a tenth of its own
   * limit.
   */
  readonly unservedPerHour: number
  /** How long the logs of a settlement may take to reach our node. */
  readonly proofTimeoutMs: number
  /** How long `complete` and `fail` keep trying while the store is down. */
  readonly persistTimeoutMs: number
  /** How long one service may take before its payment is refunded. */
  readonly maxServiceMs: number
  /** How long a settled payment that was not served can be resumed. */
  readonly resumeMs: number
  /**
   * The charge of a payer whose client disconnected before the service began and did not return in
   * that time: the settlement and the refund cost gas.
   */
  readonly abandonCharge: Usdc
  /**
   * The most that may be at risk in overlapping payments of one payer, and of all payers of this
   * process: those in progress, and those of the last `riskWindowMs` that did not settle. With zero,
   * every payment is settled first.
   */
  readonly maxRiskPerPayer: Usdc
  readonly maxRiskTotal: Usdc
  readonly riskWindowMs: number
  /**
   * When the bytes of an overlapping service may be sent: after the proof of its payment, or before it
   * after a preconfirmation, which may be revoked: what was sent then is lost, and counts like a call
   * that did not settle. Takes effect where this process settles and its node shows preconfirmations.
   */
  readonly releaseWith: 'proof' | 'preconfirmation'
  /** How long a finished response is kept for the identical request; 0 keeps none. */
  readonly replayMs: number

  /** How long a payment in flight stays with a replica that is silent. */
  readonly leaseMs: number
  /** The same for what recovery and the refund worker are working on. */
  readonly backgroundLeaseMs: number
  /** How often unfinished payments are checked. */
  readonly recoveryPollMs: number
  /** How often all rejected payments together are checked. */
  readonly rejectedPollMs: number
  /** How often records that are no longer needed are deleted from the ledger. */
  readonly pruneMs: number
  /** How long a payment that ended without being paid is kept. */
  readonly unpaidKeptMs: number
  /** How often refunds are checked. */
  readonly refundPollMs: number
  /** How often the treasury is checked. */
  readonly treasuryPollMs: number
  /** How many blocks before its start the first check of the treasury's transfers also reads. */
  readonly treasuryLookBackBlocks: number
  /** The longest time between two checks of a transfer that only needs more confirmations. */
  readonly watchMs: number
  /**
   * The block time of the chain: a transfer is checked again when it may have the confirmations
   * that it needs. 0 if unknown.
   */
  readonly blockMs: number

  /** Confirmations of a settlement before its refund is sent. */
  readonly refundConfirmations: number
  /** Confirmations of a transfer, in either direction, until it is final. */
  readonly finalConfirmations: number
  /** Confirmations of unsolicited money before it is returned; null waits until it is final. */
  readonly unsolicitedConfirmations: number | null

  /** The longest time that small refunds wait for others. */
  readonly maxRefundDelayMs: number
  /** How long a transaction may stay unseen before the same bytes are sent again. */
  readonly resendMs: number
  /** How long all refunds pause after an obstacle that blocks all of them. */
  readonly refundPauseMs: number
  /** Refunds per transaction. */
  readonly refundBatchSize: number
  /** Refunds per round. */
  readonly refundRoundSize: number
  /** No single refund may be larger; null sets no limit. */
  readonly maxRefund: Usdc | null
  /** The most that refunds signed within an hour may total; null sets no limit. */
  readonly maxRefundsPerHour: Usdc | null

  /** Below it the next refunds may not be covered: `treasury_low` is reported. */
  readonly minTreasury: Usdc
  /** Gas for some hundreds of refunds on Base. Below it `relayer_low` is reported. */
  readonly minRelayerWei: bigint
}

export type SettlementGas = { readonly key: bigint; readonly wallet: bigint }

const second = 1_000
const minute = 60 * second
const day = 86_400 * second

export const defaultPaymentPolicy: PaymentPolicy = {
  maxTimeoutSeconds: 300,
  voidMarginSeconds: 60,
  refundValiditySeconds: 86_400,

  settleTimeoutMs: 30 * second,
  settlementGas: { key: 150_000n, wallet: 600_000n },
  payerFaultWindowMs: 10 * minute,
  faultsPerPayer: 10,
  revertsPerPayer: 3,
  revertsPerCode: 20,
  revertsPerAddress: 10,
  revertsPerHour: 50,
  unservedPerAddress: 200,
  unservedCost: atomicUsdc(100_000n),
  unservedPerHour: 2_000,
  proofTimeoutMs: 5 * second,
  persistTimeoutMs: 20 * second,
  maxServiceMs: 60 * minute,
  resumeMs: minute,
  abandonCharge: atomicUsdc(0n),
  maxRiskPerPayer: atomicUsdc(0n),
  maxRiskTotal: atomicUsdc(0n),
  riskWindowMs: 60 * minute,
  releaseWith: 'proof',
  replayMs: 10 * minute,

  leaseMs: 30 * second,
  backgroundLeaseMs: minute,
  recoveryPollMs: 2 * second,
  rejectedPollMs: 5 * minute,
  pruneMs: minute,
  unpaidKeptMs: 7 * day,
  refundPollMs: 2 * second,
  treasuryPollMs: 30 * second,
  treasuryLookBackBlocks: 300,
  watchMs: 15 * second,
  blockMs: 2 * second,

  refundConfirmations: 10,
  finalConfirmations: 64,
  unsolicitedConfirmations: null,

  maxRefundDelayMs: day,
  resendMs: minute,
  refundPauseMs: 5 * second,
  refundBatchSize: 50,
  refundRoundSize: 500,
  maxRefund: null,
  maxRefundsPerHour: null,

  minTreasury: atomicUsdc(1_000_000n),
  minRelayerWei: 500_000_000_000_000n,
}

/**
 * For a devnet, which mines a block only for a transaction, so that confirmations do not increase
 * by themselves.
 */
export const devnetPaymentPolicy: PaymentPolicy = {
  ...defaultPaymentPolicy,
  recoveryPollMs: second / 2,
  refundPollMs: second / 5,
  treasuryPollMs: second,
  treasuryLookBackBlocks: 0,
  blockMs: 0,
  refundConfirmations: 1,
  unsolicitedConfirmations: 1,
  minTreasury: atomicUsdc(0n),
}

const positive = ['maxTimeoutSeconds', 'leaseMs', 'maxServiceMs', 'settleTimeoutMs'] as const

/**
 * The defaults with some changes.
 *
 * @throws {PaymentPolicyError} when a time that must be above zero is not, a number is below zero, or
 * a member is unknown or of another type.
 */
export function paymentPolicy(changes: Partial<PaymentPolicy> = {}): PaymentPolicy {
  const policy = { ...defaultPaymentPolicy, ...changes }
  for (const name of positive) {
    const value = policy[name]
    if (!(value > 0)) throw new PaymentPolicyError(name, `must be above zero and is ${value}`)
  }
  checkPolicy(policy, defaultPaymentPolicy)
  const { releaseWith } = policy
  if (!['proof', 'preconfirmation'].includes(releaseWith)) {
    throw new PaymentPolicyError('releaseWith', "must be 'proof' or 'preconfirmation'")
  }
  return policy
}
