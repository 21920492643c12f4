import type { Hex, TransferProof } from '@farebox/ledger'
import { type PublicClient, toEventSelector } from 'viem'
import { ask } from '../rpc/rpc-client.ts'
import { channelContract } from './addresses.ts'
import type { ChainReader } from './chain.ts'
import { authorizationUsed, readLog, type TokenLog, topicOf } from './token-logs.ts'

/** A channel's deposit: `sender` relayed it. */
const depositedEvent: Hex = toEventSelector('Deposited(bytes32,address,uint128,uint128)')

/**
 * Whether the transfer of a deposit was made by the channel contract, which writes `Deposited` after
 * it. A payer can also send an authorized amount to the collector without the contract: no channel has
 * it then. In a transaction with several transfers, each authorization belongs to the next `Deposited`.
 */
export function createDepositProof(client: PublicClient): ChainReader['isDeposit'] {
  return async function isDeposit({ proof, channelId, amount }) {
    const receipt = await ask(`the receipt of ${proof.transaction}`, () =>
      client.request({ method: 'eth_getTransactionReceipt', params: [proof.transaction] }),
    )
    const logs = receipt?.logs.flatMap((log) => readLog(log) ?? []) ?? []
    return isDeposited(logs, { proof, channelId, amount })
  }
}

function isDeposited(
  logs: readonly TokenLog[],
  deposit: { readonly proof: TransferProof; readonly channelId: Hex; readonly amount: bigint },
): boolean {
  const { proof, channelId, amount } = deposit
  const next = logs.find(
    ({ logIndex, address, topics }) =>
      logIndex > proof.logIndex &&
      (topics[0] === authorizationUsed ||
        (address === channelContract && topics[0] === depositedEvent)),
  )
  if (next === undefined || next.address !== channelContract) return false
  return next.topics[1] === topicOf(channelId) && BigInt(next.data.slice(0, 66)) === amount
}
