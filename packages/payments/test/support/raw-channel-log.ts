import { batchSettlementAbi } from '@farebox/devnet'
import type { Hex } from '@farebox/ledger'
import { type Abi, encodeAbiParameters, encodeEventTopics } from 'viem'
import { channelContract } from '../../src/chain/addresses.ts'
import type { ChannelLog } from '../../src/channel-chain/channel-log.ts'

const anyAbi: Abi = batchSettlementAbi

/** A log that a transaction of the relayer causes, as a node returns it. */
export function rawChannelLog(log: ChannelLog) {
  const { proof } = log
  const { eventName, args, data } = encodedLog(log)
  return {
    address: channelContract,
    topics: encodeEventTopics({ abi: anyAbi, eventName, args }),
    data,
    transactionHash: proof.transaction,
    blockNumber: BigInt(proof.block),
    blockHash: proof.blockHash,
    logIndex: proof.logIndex,
  }
}

const sender: Hex = '0x000000000000000000000000000000000000fee5'

function encodedLog(log: ChannelLog) {
  switch (log.type) {
    case 'claimed':
      return {
        eventName: 'Claimed',
        args: { channelId: log.channelId, sender },
        data: words(log.amount, log.total),
      }
    case 'refunded':
      return {
        eventName: 'Refunded',
        args: { channelId: log.channelId, sender },
        data: words(log.amount),
      }
    case 'settled': {
      const { receiver, token, amount } = log
      return { eventName: 'Settled', args: { receiver, token, sender }, data: words(amount) }
    }
    default:
      throw new Error(`the relayer causes no ${log.type}`)
  }
}

function words(...values: readonly bigint[]): Hex {
  return encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  )
}
