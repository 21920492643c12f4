import type { Hex } from '@farebox/ledger'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { encodeFunctionData, type PublicClient } from 'viem'
import { ChainError } from './chain-error.ts'
import { revertMessage } from './rpc-client.ts'
import type { TransactionQueue } from './transaction-queue.ts'

/** What one settlement came to so far. Written by its signer, read when the outcome is judged. */
export type SettlementAttempt = {
  /** The transfer, from the moment that a node may have it. */
  transaction: Hex | null
  /** Why the chain could not be asked or written to, when that was so. */
  fault: 'rpc_down' | 'no_gas' | 'fee_cap' | null
}

type SettlementSignerParts = {
  readonly client: PublicClient
  readonly queue: TransactionQueue
  readonly attempt: SettlementAttempt
  readonly confirmationTimeoutMs: number
}

/**
 * The signer of one settlement for the x402 facilitator scheme. It throws only when nothing was
 * sent; an unclear broadcast returns its hash, so that the wait for the receipt decides.
 */
export function createSettlementSigner(parts: SettlementSignerParts): FacilitatorEvmSigner {
  const { client, queue, attempt } = parts

  async function send(call: { readonly to: Hex; readonly data: Hex }): Promise<Hex> {
    const outcome = await queue.send(call)
    switch (outcome.status) {
      case 'sent':
      case 'unknown':
        return outcome.transaction
      case 'reverts':
        throw new Error(outcome.message)
      case 'unavailable':
        attempt.fault = outcome.reason
        throw new ChainError(`whether it takes the settlement: ${outcome.reason}`)
    }
  }

  /** The scheme takes a silent node for a refusal; here it is noted for what it is. */
  function noteFault(error: unknown): void {
    if (revertMessage(error) === undefined) attempt.fault = 'rpc_down'
  }

  return {
    getAddresses: () => [queue.relayer],
    async getCode({ address }) {
      try {
        return await client.getCode({ address })
      } catch (error) {
        // Thrown on, this would end as a rejection that the scheme leaves unhandled.
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
    // The scheme judges signatures by code and contract call alone; if ever asked, fail closed.
    verifyTypedData: async () => false,
    async writeContract({ address, abi, functionName, args, dataSuffix }) {
      const data = encodeFunctionData({ abi, functionName, args })
      const call = `${data}${(dataSuffix ?? '0x').slice(2)}` as const
      attempt.transaction = await send({ to: address, data: call })
      return attempt.transaction
    },
    sendTransaction: ({ to, data }) => send({ to, data }),
    async waitForTransactionReceipt({ hash }) {
      const receipt = await queue.receiptOf(hash, parts.confirmationTimeoutMs)
      if (receipt === undefined) throw new ChainError(`what became of ${hash}`)
      if (attempt.transaction === hash) attempt.transaction = receipt.transactionHash
      return { status: receipt.status, logs: receipt.logs }
    },
  }
}
