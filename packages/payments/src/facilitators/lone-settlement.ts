import type { Hex } from '@farebox/ledger'
import { x402Facilitator } from '@x402/core/facilitator'
import { isPaymentPayloadV2, isPaymentRequirementsV2 } from '@x402/core/schemas'
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { lowerHex } from '../chain/hex.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import type { SettleOutcome } from '../settlement/facilitator.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { isRejectedBeforeBroadcast, knownReason } from './settle-rejection-reasons.ts'
import {
  createSettlementSigner,
  type SettlementAttempt,
  type SettlementSignerParts,
} from './settlement-signer.ts'

type LoneSettlementParts = Omit<SettlementSignerParts, 'attempt' | 'mark'> & {
  readonly network: PaymentNetwork
  readonly walletFactories: readonly Hex[]
}

/** Settles one payment through the x402 packages' own facilitator. Never throws. */
export function createLoneSettlement(
  parts: LoneSettlementParts,
): (payment: SignedPayment, attempt: SettlementAttempt) => Promise<SettleOutcome> {
  const { network, walletFactories } = parts
  return async function settleAlone(payment, attempt) {
    const call = facilitatorCall(payment, network)
    if (call === undefined) return { status: 'rejected', reason: 'invalid_exact_evm_scheme' }
    // The queue's estimate is the simulation: nothing that reverts is sent.
    const signer = createSettlementSigner({ ...parts, attempt, mark: payment.mark })
    const scheme = new ExactEvmScheme(signer, {
      simulateInSettle: false,
      eip6492AllowedFactories: [...walletFactories],
    })
    const facilitator = new x402Facilitator().register(network.caip2, scheme)
    try {
      return judge(await facilitator.settle(call.payload, call.requirements), attempt)
    } catch {
      return unknownOutcome(attempt.fault ?? 'facilitator_fault', attempt)
    }
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
  const { transaction, fault, gasUsed } = attempt
  if (response.success && transaction !== null) {
    return { status: 'settled', transaction: lowerHex(transaction), gasUsed }
  }
  const reason = reasonOf(response, attempt)
  const nothingSent = transaction === null && fault === null && !attempt.reverted
  return nothingSent && isRejectedBeforeBroadcast(reason)
    ? { status: 'rejected', reason }
    : unknownOutcome(fault ?? reason, attempt)
}

/** When a revert has no known text, the scheme reports a failed transaction although none was sent. */
function reasonOf({ errorReason }: SettleResponse, { reverts }: SettlementAttempt): string {
  return reverts && errorReason === 'invalid_exact_evm_transaction_failed'
    ? 'invalid_exact_evm_transaction_simulation_failed'
    : knownReason(errorReason ?? 'facilitator_fault')
}

/** An unknown outcome, with the transaction that a node may have, alone or in a group. */
export function unknownOutcome(
  reason: string,
  { transaction: alone, group, reverted }: SettlementAttempt,
): SettleOutcome {
  const transaction = alone ?? group?.transaction() ?? null
  return { status: 'unknown', reason, transaction, ...(reverted && { reverted }) }
}
