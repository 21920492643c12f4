import type { Hex } from '@farebox/ledger'
import { encodeFunctionData, type PublicClient, parseAbi } from 'viem'
import { type BlockHeader, readHeader } from '../rpc/block-header.ts'
import { ChainError } from '../rpc/chain-error.ts'
import { ask, callForWord } from '../rpc/rpc-client.ts'
import { createSharedQuestion } from '../scheduling/shared-question.ts'
import type { AuthorizationUse, Block, ChainReader } from './chain.ts'
import type { ReadHead } from './head-watch.ts'
import { readReceiptLogs, type SearchLogs } from './search-logs.ts'
import {
  authorizationCanceled,
  authorizationUsed,
  type MinedLog,
  topicOf,
  transferOf,
} from './token-logs.ts'

type Search = Parameters<ChainReader['authorizationUse']>[0]

type AuthorizationSearchOptions = {
  readonly client: PublicClient
  readonly searchLogs: SearchLogs
  readonly readHead: ReadHead
  readonly blocksBehind: number
}

type AuthorizationSearchParts = AuthorizationSearchOptions & {
  readonly readLogs: (transaction: Hex) => Promise<readonly MinedLog[] | undefined>
  readonly readBlock: (number: number) => Promise<BlockHeader>
}

/**
 * Finds how an EIP-3009 nonce was used: first in the receipt of the transaction that may have used it,
 * then by indexed logs. The result is `unused` only when the token's own state agrees,
 * so that a node whose log index lags behind cannot make a payment disappear.
 */
export function createAuthorizationSearch(
  options: AuthorizationSearchOptions,
): ChainReader['authorizationUse'] {
  // Payments of one group share a receipt and a block.
  const readLogs = createSharedQuestion((hash: Hex) => readReceiptLogs(options.client, hash))
  const readBlock = createSharedQuestion((number: number) =>
    ask(`block ${number}`, () => readHeader(options.client, number)),
  )
  const parts: AuthorizationSearchParts = { ...options, readLogs, readBlock }
  return async function authorizationUse(search) {
    const hinted = search.hint == null ? undefined : await inReceipt(parts, search, search.hint)
    if (hinted !== undefined) return hinted
    const head = await parts.readHead()
    const log = await findLog(parts, search, { fromBlock: search.fromBlock, toBlock: head.number })
    if (log !== undefined) return await useOf(parts, log)
    if (!(await isUsed(parts.client, search, head))) return { status: 'unused', head }
    return await usedBefore(parts, search)
  }
}

/** Used, but not in the range: earlier, or in a block that the node has not indexed yet. */
async function usedBefore(
  parts: AuthorizationSearchParts,
  search: Search,
): Promise<AuthorizationUse> {
  const toBlock = search.fromBlock - 1
  const fromBlock = Math.max(0, search.fromBlock - parts.blocksBehind)
  const log = toBlock < fromBlock ? undefined : await findLog(parts, search, { fromBlock, toBlock })
  if (log === undefined) {
    const reason = 'it is used, but no log shows by which transaction'
    throw new ChainError(`the use of nonce ${search.nonce}`, { reason })
  }
  return await useOf(parts, log)
}

async function findLog(
  { searchLogs }: AuthorizationSearchParts,
  { asset, from, nonce }: Search,
  range: { readonly fromBlock: number; readonly toBlock: number },
): Promise<MinedLog | undefined> {
  const topics = [[authorizationUsed, authorizationCanceled], topicOf(from), nonce]
  const logs = await searchLogs({ address: asset, topics, ...range })
  return logs[0]
}

async function useOf(parts: AuthorizationSearchParts, log: MinedLog): Promise<AuthorizationUse> {
  if (log.topics[0] === authorizationCanceled) return { status: 'canceled' }
  const logs = await parts.readLogs(log.transaction)
  return await provenTransfer(parts, log, logs ?? [])
}

async function inReceipt(
  parts: AuthorizationSearchParts,
  { asset, from, nonce }: Search,
  transaction: Hex,
): Promise<AuthorizationUse | undefined> {
  const logs = await parts.readLogs(transaction)
  const authorizer = topicOf(from)
  // Compares the nonce first, since it alone differs within a group.
  const used = logs?.find(
    ({ address, topics }) =>
      topics[2] === nonce &&
      topics[1] === authorizer &&
      topics[0] === authorizationUsed &&
      address === asset,
  )
  return logs === undefined || used === undefined
    ? undefined
    : await provenTransfer(parts, used, logs)
}

/** The transfer of a used authorization, once its block is known to be canonical. */
async function provenTransfer(
  { readBlock, readHead }: AuthorizationSearchParts,
  used: MinedLog,
  logs: readonly MinedLog[],
): Promise<AuthorizationUse> {
  const paired = transferOf(used, logs)
  if (paired === undefined) {
    const subject = `the transfer of log ${used.logIndex} of ${used.transaction}`
    throw new ChainError(subject, { reason: 'the next log is not a transfer by the payer' })
  }
  const head = await readHead(used.block)
  const block = head.number === used.block ? head : await readBlock(used.block)
  if (block.hash !== used.blockHash) {
    throw new ChainError(`transaction ${used.transaction}`, { reason: 'its block was replaced' })
  }
  return { status: 'transferred', to: paired.to, value: paired.value, proof: paired.proof }
}

const stateAbi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

async function isUsed(client: PublicClient, search: Search, head: Block): Promise<boolean> {
  const { asset, from, nonce } = search
  const data = encodeFunctionData({
    abi: stateAbi,
    functionName: 'authorizationState',
    args: [from, nonce],
  })
  const subject = `the state of nonce ${nonce}`
  return (await callForWord(client, { subject, to: asset, data, block: head.number })) !== 0n
}
