import type { Hex } from '@farebox/ledger'
import type { PublicClient } from 'viem'
import type { PaymentNetwork } from '../chain/network.ts'
import { type ChannelPolicy, defaultChannelPolicy } from '../policy/channel-policy.ts'
import { defaultPaymentPolicy, type SettlementGas } from '../policy/payment-policy.ts'
import type { Preconfirmations } from '../relayer/preconfirmations.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { readHeader } from '../rpc/block-header.ts'
import { createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
import { systemTimers } from '../scheduling/timers.ts'
import type { Facilitator, SettleOutcome } from '../settlement/facilitator.ts'
import { minValiditySeconds } from '../signature/check-payment.ts'
import { parseKeySignature } from '../signature/key-signature.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { createGroupChain } from './group-chain.ts'
import { createLoneSettlement, unknownOutcome } from './lone-settlement.ts'
import { createDepositSettlement, isDeposit } from './settle-deposit.ts'
import { createSettlementGroups, type Settling } from './settlement-groups.ts'
import type { SettlementAttempt } from './settlement-signer.ts'
import { whenAborted } from './when-aborted.ts'

export type InProcessFacilitatorOptions = RpcOptions & {
  readonly network: PaymentNetwork
  readonly queue: TransactionQueue
  /** How long a settlement may take to be mined before it counts as unknown. 20 seconds by default. */
  readonly confirmationTimeoutMs?: number
  /** The most gas that a settlement may use; that of `defaultPaymentPolicy` by default. */
  readonly settlementGas?: SettlementGas
  /** The most gas that a channel's deposit may use; that of `defaultChannelPolicy` by default. */
  readonly depositGas?: ChannelPolicy['depositGas']
  /** Wallet factories that an ERC-6492 signature may call. None by default. */
  readonly walletFactories?: readonly Hex[]
  /** The most payments in one transaction. 50 by default. */
  readonly groupSize?: number
  /** Milliseconds since 1970. The machine's clock by default. */
  readonly clock?: () => number
  /** The preconfirmations of the queue, which are passed on for each payment. */
  readonly preconfirmations?: Preconfirmations | undefined
}

/**
 * Settles with the relayer's transaction queue. A channel's deposit is a separate call. Payments
 * that are signed by keys and arrive together share one transaction. A payment of a contract wallet
 * or a delegated account, whose code decides about the signature, is settled alone through the x402
 * packages' own facilitator. There each settlement has its own signer, which records whether anything
 * was sent: that, and not the text of an error, decides between rejected and unknown.
 */
export function createInProcessFacilitator(options: InProcessFacilitatorOptions): Facilitator {
  const { network, queue, confirmationTimeoutMs = 20_000, walletFactories = [] } = options
  const { settlementGas = defaultPaymentPolicy.settlementGas } = options
  const { groupSize = 50, clock = Date.now } = options
  const { depositGas = defaultChannelPolicy.depositGas } = options
  const { preconfirmations } = options
  const parts = { client: createRpcClient(options), queue, network, settlementGas }
  const settleAlone = createLoneSettlement({ ...parts, confirmationTimeoutMs, walletFactories })
  const settleDeposit = createDepositSettlement({ ...parts, depositGas, confirmationTimeoutMs })
  const chain = createGroupChain({ ...parts, preconfirmations })
  const groups = createSettlementGroups({ ...chain, timers: systemTimers, clock, groupSize })

  async function run(
    payment: SignedPayment,
    attempt: SettlementAttempt,
    onShown: OnShown | undefined,
  ): Promise<SettleOutcome> {
    if (isDeposit(payment)) return await settleDeposit(payment)
    if (parseKeySignature(payment.signature) === undefined)
      return await settleAlone(payment, attempt)
    const isLate = await expiresTooSoon(payment, clock, parts.client).catch(() => null)
    if (isLate === null) return unknownOutcome('facilitator_fault', attempt)
    if (isLate) {
      const reason = 'invalid_exact_evm_payload_authorization_valid_before'
      return { status: 'rejected', reason }
    }
    const settling = groups.settle(payment)
    attempt.group = settling
    if (onShown !== undefined) void settling.shown.then(onShown)
    const outcome = await inTime(settling, confirmationTimeoutMs)
    return outcome === 'has_code' ? await settleAlone(payment, attempt) : outcome
  }

  return {
    name: 'in-process',
    async settle(payment, signal, onShown) {
      const attempt: SettlementAttempt = {
        transaction: null,
        group: null,
        fault: null,
        reverts: false,
        reverted: false,
        gasUsed: 0n,
      }
      if (signal.aborted) return unknownOutcome('deadline', attempt)
      const aborted = whenAborted(signal)
      try {
        const outcome = await Promise.race([run(payment, attempt, onShown), aborted.happened])
        return outcome ?? unknownOutcome('deadline', attempt)
      } finally {
        attempt.group?.withdraw()
        aborted.release()
      }
    },
  }
}

/**
 * The chain's clock decides: after an outage it is behind ours. About a payment that is settled by
 * itself ours decides, since the x402 packages read it.
 */
async function expiresTooSoon(
  { authorization }: SignedPayment,
  clock: () => number,
  client: PublicClient,
): Promise<boolean> {
  const latest = authorization.validBefore - minValiditySeconds
  if (clock() / 1000 <= latest) return false
  return (await readHeader(client, 'latest')).timestamp > latest
}

type OnShown = Parameters<Facilitator['settle']>[2]

/** A settlement that takes longer to be mined continues; its outcome is reported as unknown. */
async function inTime(
  { outcome, sent, transaction }: Settling,
  timeoutMs: number,
): Promise<SettleOutcome | 'has_code'> {
  await Promise.race([outcome, sent])
  const { promise: late, resolve } = Promise.withResolvers<SettleOutcome>()
  const cancel = systemTimers.after(timeoutMs, () => {
    resolve({ status: 'unknown', reason: 'settlement_pending', transaction: transaction() })
  })
  try {
    return await Promise.race([outcome, late])
  } finally {
    cancel()
  }
}
