import type { Hex } from '@farebox/ledger'
import { x402Facilitator } from '@x402/core/facilitator'
import { isPaymentPayloadV2, isPaymentRequirementsV2 } from '@x402/core/schemas'
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { lowerHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { createRpcClient, type RpcOptions } from '../chain/rpc-client.ts'
import { defaultPaymentPolicy, type SettlementGas } from '../policy/payment-policy.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import type { Facilitator, SettleOutcome } from '../settlement/facilitator.ts'
import { createSignerRecovery } from '../signature/recover-signer.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { whenAborted } from './abort-promise.ts'
import { isRejectedBeforeBroadcast, knownReason } from './settle-rejection-reasons.ts'
import { createSettlementSigner, type SettlementAttempt } from './settlement-signer.ts'

export type InProcessFacilitatorOptions = RpcOptions & {
  readonly network: PaymentNetwork
  readonly queue: TransactionQueue
  /** How long a settlement may take to be mined before it counts as unknown. 20 seconds by default. */
  readonly confirmationTimeoutMs?: number
  /** The most gas that a settlement may use; that of `defaultPaymentPolicy` by default. */
  readonly settlementGas?: SettlementGas
  /** Wallet factories that an ERC-6492 signature may call. None by default. */
  readonly walletFactories?: readonly Hex[]
}

/**
 * Settles with the x402 packages' own facilitator, whose signer is the relayer's transaction queue.
 * Each settlement has its own signer, which knows whether anything was sent: that, and not the text
 * of an error, decides between rejected and unknown.
 */
export function createInProcessFacilitator(options: InProcessFacilitatorOptions): Facilitator {
  const { network, queue, confirmationTimeoutMs = 20_000, walletFactories = [] } = options
  const { settlementGas = defaultPaymentPolicy.settlementGas } = options
  const client = createRpcClient(options)
  const recoverSigner = createSignerRecovery()

  async function run(payment: SignedPayment, attempt: SettlementAttempt): Promise<SettleOutcome> {
    const call = facilitatorCall(payment, network)
    if (call === undefined) return { status: 'rejected', reason: 'invalid_exact_evm_scheme' }
    const signer = createSettlementSigner({
      client,
      queue,
      payment,
      recoverSigner,
      attempt,
      confirmationTimeoutMs,
      settlementGas,
    })
    // The queue's estimate is the simulation: nothing that reverts is sent.
    const scheme = new ExactEvmScheme(signer, {
      simulateInSettle: false,
      eip6492AllowedFactories: [...walletFactories],
    })
    const facilitator = new x402Facilitator().register(network.caip2, scheme)
    try {
      return judge(await facilitator.settle(call.payload, call.requirements), attempt)
    } catch {
      return unknown(attempt.fault ?? 'facilitator_fault', attempt)
    }
  }

  return {
    name: 'in-process',
    async settle(payment, signal) {
      const attempt: SettlementAttempt = {
        transaction: null,
        fault: null,
        reverts: false,
        reverted: false,
      }
      if (signal.aborted) return unknown('deadline', attempt)
      const aborted = whenAborted(signal)
      try {
        const outcome = await Promise.race([run(payment, attempt), aborted.happened])
        return outcome ?? unknown('deadline', attempt)
      } finally {
        aborted.release()
      }
    },
  }
}

function facilitatorCall(
  { payload, requirements }: SignedPayment,
  { caip2 }: PaymentNetwork,
): { readonly payload: PaymentPayload; readonly requirements: PaymentRequirements } | undefined {
  if (!isPaymentPayloadV2(payload) || !isPaymentRequirementsV2(requirements)) return undefined
  const accepted = { ...requirements, network: caip2, extra: requirements.extra ?? {} }
  return {
    payload: { x402Version: 2, accepted, payload: payload.payload },
    requirements: accepted,
  }
}

function judge(response: SettleResponse, attempt: SettlementAttempt): SettleOutcome {
  const { transaction, fault } = attempt
  if (response.success && transaction !== null) {
    return { status: 'settled', transaction: lowerHex(transaction) }
  }
  const reason = reasonOf(response, attempt)
  const nothingSent = transaction === null && fault === null
  return nothingSent && isRejectedBeforeBroadcast(reason)
    ? { status: 'rejected', reason }
    : unknown(fault ?? reason, attempt)
}

/** When a revert has no known text, the scheme reports a failed transaction although none was sent. */
function reasonOf({ errorReason }: SettleResponse, { reverts }: SettlementAttempt): string {
  return reverts && errorReason === 'invalid_exact_evm_transaction_failed'
    ? 'invalid_exact_evm_transaction_simulation_failed'
    : knownReason(errorReason ?? 'facilitator_fault')
}

function unknown(reason: string, { transaction, reverted }: SettlementAttempt): SettleOutcome {
  return { status: 'unknown', reason, transaction, ...(reverted && { reverted }) }
}
