import type { Hex, TransferProof } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import { toEventSelector } from 'viem'
import { lowerHex, wordOf } from './hex.ts'

/** A log of a mined block, with hexadecimal in lower case. */
export type MinedLog = {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly transaction: Hex
  readonly block: number
  readonly blockHash: Hex
  readonly logIndex: number
}

export const authorizationUsed: Hex = toEventSelector('AuthorizationUsed(address,bytes32)')
export const authorizationCanceled: Hex = toEventSelector('AuthorizationCanceled(address,bytes32)')
export const transfer: Hex = toEventSelector('Transfer(address,address,uint256)')

/** A log as the node returns it; some fields of pending logs are null. */
export type RawLog = {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly transactionHash: Hex | null
  readonly blockNumber: string | bigint | null
  readonly blockHash: Hex | null
  readonly logIndex: string | number | null
}

/** Reads a log of a mined block; `undefined` for one that is pending. */
export function readLog(log: RawLog): MinedLog | undefined {
  const { transactionHash, blockNumber, blockHash, logIndex } = log
  if (transactionHash === null || blockNumber === null || blockHash === null || logIndex === null) {
    return undefined
  }
  return {
    address: lowerHex(log.address),
    topics: log.topics.map(lowerHex),
    data: lowerHex(log.data),
    transaction: lowerHex(transactionHash),
    block: Number(blockNumber),
    blockHash: lowerHex(blockHash),
    logIndex: Number(logIndex),
  }
}

/** Where a log is on the chain. */
export function proofOf({ transaction, block, blockHash, logIndex }: MinedLog): TransferProof {
  return { transaction, block, blockHash, logIndex }
}

/** An address or a number as an indexed topic. */
export function topicOf(value: Hex): Hex {
  return `0x${wordOf(value)}`
}

function addressOfTopic(topic: Hex | undefined): Hex {
  return `0x${(topic ?? '').slice(-40)}`
}

/** An ERC-20 transfer read from its log. */
type LoggedTransfer = {
  readonly from: Hex
  readonly to: Hex
  readonly value: Usdc
  /** Points at the `Transfer` log. */
  readonly proof: TransferProof
}

/** Reads a `Transfer` log; `undefined` for any other. */
export function readTransfer(log: MinedLog): LoggedTransfer | undefined {
  if (log.topics[0] !== transfer || log.topics.length !== 3) return undefined
  return {
    from: addressOfTopic(log.topics[1]),
    to: addressOfTopic(log.topics[2]),
    value: atomicUsdc(BigInt(log.data)),
    proof: proofOf(log),
  }
}

/**
 * The transfer that belongs to a used authorization: the token's next log. USDC and OpenZeppelin
 * write `AuthorizationUsed` directly before its `Transfer`, and in a batch any other pairing could
 * match the transfer of another authorization.
 */
export function transferOf(used: MinedLog, logs: readonly MinedLog[]): LoggedTransfer | undefined {
  const next = logs.find(
    (log) =>
      log.logIndex === used.logIndex + 1 &&
      log.transaction === used.transaction &&
      log.blockHash === used.blockHash &&
      log.address === used.address,
  )
  const paired = next === undefined ? undefined : readTransfer(next)
  return paired?.from === addressOfTopic(used.topics[1]) ? paired : undefined
}
