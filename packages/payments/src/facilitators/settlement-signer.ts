import type { Hex } from '@farebox/ledger'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { concat, encodeFunctionData, type PublicClient } from 'viem'
import type { SendingObstacle } from '../chain/chain.ts'
import type { SettlementGas } from '../policy/payment-policy.ts'
import { isReplaced } from '../relayer/is-replaced.ts'
import type { TransactionCall } from '../relayer/transaction-call.ts'
import type { TransactionQueue } from '../relayer/transaction-queue.ts'
import { ChainError } from '../rpc/chain-error.ts'
import { revertMessage } from '../rpc/rpc-client.ts'
import type { Settling } from './settlement-groups.ts'

/** The state of one settlement. Written by its signer, read when the outcome is judged. */
export type SettlementAttempt = {
  /** The transfer, from the moment a node may have it. */
  transaction: Hex | null
  /** The settlement in a group that was tried first. */
  group: Settling | null
  /** Why the chain could not be read or written to, if so. */
  fault: SendingObstacle | null
  /** The transfer would have reverted and was not sent. */
  reverts: boolean
  /** The transfer was mined and failed, or only the deployment of its wallet was mined. */
  reverted: boolean
  /** The gas of the transfer, and of that deployment, once they are mined. */
  gasUsed: bigint
}

export type SettlementSignerParts = {
  readonly client: PublicClient
  readonly queue: TransactionQueue
  readonly attempt: SettlementAttempt
  readonly confirmationTimeoutMs: number
  readonly settlementGas: SettlementGas
  readonly mark?: Hex | undefined
}

/**
 * The signer of one settlement for the x402 facilitator scheme. It throws only when nothing was
 * sent; an unclear broadcast returns its hash, so that the wait for the receipt decides.
 */
export function createSettlementSigner(parts: SettlementSignerParts): FacilitatorEvmSigner {
  const { queue, attempt } = parts

  async function send(call: TransactionCall): Promise<Hex> {
    const outcome = await queue.send(call)
    switch (outcome.status) {
      case 'sent':
      case 'unknown':
        return outcome.transaction
      case 'reverts':
        attempt.reverts = true
        throw new Error(outcome.message)
      case 'unavailable':
        attempt.fault = outcome.reason
        throw new Error(`The settlement could not be sent: ${outcome.reason}`)
    }
  }

  return {
    getAddresses: () => [queue.relayer],
    ...createReads(parts),
    // The scheme checks signatures by code and contract call alone; if it ever calls this, fail
    // closed.
    verifyTypedData: async () => false,
    async writeContract({ address, abi, functionName, args, dataSuffix }) {
      const data = encodeFunctionData({ abi, functionName, args })
      const call = concat([data, dataSuffix ?? '0x', parts.mark ?? '0x'])
      const gasLimit = parts.settlementGas.wallet
      attempt.transaction = await send({ to: address, data: call, gasLimit })
      return attempt.transaction
    },
    // Deploys the wallet of an ERC-6492 signature, with whatever its payer calls meanwhile.
    sendTransaction: ({ to, data }) => send({ to, data, gasLimit: parts.settlementGas.wallet }),
    async waitForTransactionReceipt({ hash }) {
      const receipt = await queue.receiptOf(hash, parts.confirmationTimeoutMs)
      if (receipt === undefined) {
        throw new ChainError(`the receipt of ${hash}`, { reason: 'it was not mined in time' })
      }
      const isTransfer = attempt.transaction === hash
      if (isTransfer) attempt.transaction = receipt.transactionHash
      const status = isReplaced(receipt) ? 'reverted' : receipt.status
      attempt.reverted = !isTransfer || status === 'reverted'
      attempt.gasUsed += receipt.gasUsed
      return { status, logs: receipt.logs }
    },
  }
}

/**
 * Reads the chain for the scheme, which takes a node that does not answer for a rejection; here it is
 * recorded as a fault.
 */
function createReads({
  client,
  queue,
  attempt,
}: SettlementSignerParts): Pick<FacilitatorEvmSigner, 'getCode' | 'readContract'> {
  function noteFault(error: unknown): void {
    if (revertMessage(error) === undefined) attempt.fault = 'rpc_down'
  }
  return {
    async getCode({ address }) {
      try {
        return await client.getCode({ address })
      } catch (error) {
        // Rethrown, this would become a promise rejection that the scheme leaves unhandled.
        noteFault(error)
        return undefined
      }
    },
    async readContract(args) {
      try {
        return await client.readContract({ ...args, account: queue.relayer })
      } catch (error) {
        noteFault(error)
        throw error
      }
    },
  }
}
