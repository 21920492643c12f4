import type { Hex, TransferProof } from '@farebox/ledger'
import { type PublicClient, toEventSelector } from 'viem'
import { ask } from '../rpc/rpc-client.ts'
import { channelContract } from './addresses.ts'
import type { ChainReader } from './chain.ts'
import { authorizationUsed, readLog, type TokenLog, topicOf } from './token-logs.ts'

/** A channel's deposit: `sender` relayed it. */
const depositedEvent: Hex = toEventSelector('Deposited(bytes32,address,uint128,uint128)')

/**
 * The `Deposited` log that the channel contract wrote after the transfer of a deposit; null without
 * one. A payer can also send an authorized amount to the collector without the contract: no channel
 * has it then. In a transaction with several transfers, each authorization belongs to the next
 * `Deposited`.
 */
export function createDepositProof(client: PublicClient): ChainReader['depositProof'] {
  return async function depositProof({ transfer, channelId, amount }) {
    const receipt = await ask(`the receipt of ${transfer.transaction}`, () =>
      client.request({ method: 'eth_getTransactionReceipt', params: [transfer.transaction] }),
    )
    const logs = receipt?.logs.flatMap((log) => readLog(log) ?? []) ?? []
    return findDeposited(logs, { transfer, channelId, amount })
  }
}

function findDeposited(
  logs: readonly TokenLog[],
  deposit: { readonly transfer: TransferProof; readonly channelId: Hex; readonly amount: bigint },
): TransferProof | null {
  const { transfer, channelId, amount } = deposit
  const next = logs.find(
    ({ logIndex, address, topics }) =>
      logIndex > transfer.logIndex &&
      (topics[0] === authorizationUsed ||
        (address === channelContract && topics[0] === depositedEvent)),
  )
  if (next === undefined || next.address !== channelContract) return null
  if (next.topics[1] !== topicOf(channelId) || BigInt(next.data.slice(0, 66)) !== amount)
    return null
  const { transaction, block, blockHash, logIndex } = next
  return { transaction, block, blockHash, logIndex }
}
