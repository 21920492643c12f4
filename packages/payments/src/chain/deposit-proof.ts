import type { Hex } from '@farebox/ledger'
import { type PublicClient, toEventSelector } from 'viem'
import { channelContract } from './addresses.ts'
import type { ChainReader } from './chain.ts'
import { readReceiptLogs } from './search-logs.ts'
import { authorizationUsed, proofOf, topicOf } from './token-logs.ts'

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
    const logs = await readReceiptLogs(client, transfer.transaction)
    const next = logs?.find(
      ({ logIndex, address, topics }) =>
        logIndex > transfer.logIndex &&
        (topics[0] === authorizationUsed ||
          (address === channelContract && topics[0] === depositedEvent)),
    )
    if (next === undefined || next.address !== channelContract) return null
    const isOurs =
      next.topics[1] === topicOf(channelId) && BigInt(next.data.slice(0, 66)) === amount
    return isOurs ? proofOf(next) : null
  }
}
