import type { PublicClient } from 'viem'
import { depositCall } from '../calls/deposit-call.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { readChannelPayload } from '../channel/channel-payload.ts'
import type { ChannelPolicy } from '../policy/channel-policy.ts'
import { isReplaced } from '../relayer/is-replaced.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import type { SettleOutcome } from '../settlement/facilitator.ts'
import { parseKeySignature } from '../signature/key-signature.ts'
import { isObject } from '../wire/is-object.ts'
import type { SignedPayment } from '../wire/signed-payment.ts'
import { revertReason } from './revert-reason.ts'

export type DepositSettlementParts = {
  readonly client: PublicClient
  readonly network: PaymentNetwork
  readonly queue: TransactionQueue
  readonly depositGas: ChannelPolicy['depositGas']
  readonly confirmationTimeoutMs: number
}

/** Whether a payment is a deposit into a channel. */
export function isDeposit({ requirements }: Pick<SignedPayment, 'requirements'>): boolean {
  return requirements['scheme'] === 'batch-settlement'
}

/**
 * Brings a deposit into its channel, by one call of the contract. The queue's estimate is the
 * simulation, and limits what a payer's code can use. Never throws.
 */
export function createDepositSettlement(
  parts: DepositSettlementParts,
): (payment: SignedPayment) => Promise<SettleOutcome> {
  const { queue, confirmationTimeoutMs } = parts
  return async function settleDeposit(payment) {
    const deposit = callOf(payment, parts)
    if (deposit === undefined) {
      return { status: 'rejected', reason: 'invalid_batch_settlement_evm_payload_type' }
    }
    const gasLimit = await gasLimitOf(payment, parts).catch(() => null)
    if (gasLimit === null) return { status: 'unknown', reason: 'rpc_down', transaction: null }
    const call = { ...deposit, gasLimit }
    const sent = await queue.send({ ...call, purpose: 'channel' })
    switch (sent.status) {
      case 'reverts':
        return { status: 'rejected', reason: depositReason(sent.message) }
      case 'unavailable':
        return { status: 'unknown', reason: sent.reason, transaction: null }
      case 'sent':
      case 'unknown': {
        const receipt = await queue.receiptOf(sent.transaction, confirmationTimeoutMs)
        const transaction = receipt?.transactionHash ?? sent.transaction
        if (receipt === undefined) {
          return { status: 'unknown', reason: 'settlement_pending', transaction }
        }
        return receipt.status === 'success' && !isReplaced(receipt)
          ? { status: 'settled', transaction, gasUsed: receipt.gasUsed }
          : { status: 'unknown', reason: depositFailed, transaction, reverted: true }
      }
    }
  }
}

const depositFailed = 'invalid_batch_settlement_evm_deposit_transaction_failed'

function callOf(
  { payload: { payload }, authorization, signature }: SignedPayment,
  { network }: DepositSettlementParts,
): TransactionCall | undefined {
  const read = isObject(payload) ? readChannelPayload(payload, network) : undefined
  if (read?.status !== 'read' || read.payload.type !== 'deposit') return undefined
  const { config, deposit } = read.payload
  const { value: amount, validAfter, validBefore } = authorization
  const { salt } = deposit
  return depositCall({ config, amount, validAfter, validBefore, salt, signature })
}

/** Code may decide about a signature that looks like a key's. */
async function gasLimitOf(
  { authorization: { from: address }, signature }: SignedPayment,
  { client, depositGas }: DepositSettlementParts,
): Promise<bigint> {
  const mayBeKey = parseKeySignature(signature) !== undefined
  const isKey = mayBeKey && (await client.getCode({ address })) === undefined
  return isKey ? depositGas.key : depositGas.wallet
}

/** x402's codes for the token's refusals name the scheme. */
function depositReason(message: string): string {
  const reason = revertReason(message)
  return reason === 'invalid_exact_evm_transaction_simulation_failed'
    ? 'invalid_batch_settlement_evm_deposit_simulation_failed'
    : reason.replace('_exact_', '_batch_settlement_')
}
