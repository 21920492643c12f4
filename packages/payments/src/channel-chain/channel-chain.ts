import type { Hex } from '@farebox/ledger'
import {
  decodeAbiParameters,
  encodeFunctionData,
  type PublicClient,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { decodeMulticall, encodeMulticall } from '../calls/multicall.ts'
import { channelContract } from '../chain/addresses.ts'
import type { PaymentNetwork } from '../chain/network.ts'
import { createLogSearch } from '../chain/search-logs.ts'
import { type RawLog, readLog } from '../chain/token-logs.ts'
import { ChainError } from '../rpc/chain-error.ts'
import { ask, callContract, createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
import { type ChannelLog, channelEvents, readChannelLog } from './channel-log.ts'

/** What the contract holds of one channel. Amounts are atomic units. */
export type ChannelOnChain = {
  /** Deposited less returned; what was claimed is still in it. */
  readonly balance: bigint
  readonly totalClaimed: bigint
  /** Seconds since 1970; null without a pending withdrawal. */
  readonly withdrawalSince: number | null
  readonly refundNonce: bigint
}

/** What was claimed for a receiver and what was paid to it, over all channels that it ever had. */
export type ReceiverOnChain = { readonly totalClaimed: bigint; readonly totalSettled: bigint }

/** Reads the contract of payment channels. All reads throw `ChainError` when the node fails. */
export type ChannelChain = {
  /** The logs of all channels, also of those that are not ours, in order. */
  logs(range: {
    readonly fromBlock: number
    readonly toBlock: number
  }): Promise<readonly ChannelLog[]>
  /** In the order of the ids; as of the latest block by default. */
  channels(ids: readonly Hex[], block?: number): Promise<readonly ChannelOnChain[]>
  receiver(receiver: Hex, block?: number): Promise<ReceiverOnChain>
  /** Whether a call would succeed now. */
  accepts(call: { readonly to: Hex; readonly data: Hex }): Promise<boolean>
  /** The same with what the contract holds of a channel, at one block: nodes' heads may differ. */
  tryCall(
    id: Hex,
    call: { readonly to: Hex; readonly data: Hex },
  ): Promise<{ readonly before: ChannelOnChain; readonly isAccepted: boolean }>
}

export type ChannelChainOptions = RpcOptions & {
  readonly network: PaymentNetwork
  /** How many blocks one log query spans. 2,000 by default. */
  readonly blocksPerQuery?: number
}

export function createChannelChain(options: ChannelChainOptions): ChannelChain {
  const { network, blocksPerQuery = 2_000 } = options
  const client = createRpcClient(options)
  const searchLogs = createLogSearch(client, blocksPerQuery)
  return {
    async logs(range) {
      const filter = { address: channelContract, topics: [channelEvents], ...range }
      const [logs] = await Promise.all([searchLogs(filter), refuseOtherChain(client, network)])
      return logs.flatMap((log) => readChannelLog(log) ?? [])
    },
    channels: (ids, block) => readChannels({ client, network, block }, ids),
    async receiver(receiver, block) {
      const args = [receiver, network.usdc] as const
      const data = encodeFunctionData({ abi, functionName: 'receivers', args })
      return await read({ client, block }, { to: channelContract, data }, (answer) => {
        const [totalClaimed, totalSettled] = decodeAbiParameters(twoWords, answer)
        return { totalClaimed, totalSettled }
      })
    },
    async accepts({ to, data }) {
      const outcome = await callContract(client, { subject: 'the channel contract', to, data })
      return outcome.status === 'returned'
    },
    async tryCall(id, call) {
      const data = encodeMulticall([...callsFor(id), call])
      return await read(
        { client, block: undefined },
        { to: network.multicall3, data },
        (answer) => {
          const results = decodeMulticall(answer)
          const before = stateOf(results.map(({ returnData }) => returnData))
          return { before, isAccepted: results.at(-1)?.success === true }
        },
      )
    },
  }
}

/**
 * The contract has the same address on every chain, so that on another one all that is booked would
 * seem to have vanished in a reorganization.
 */
async function refuseOtherChain(
  client: PublicClient,
  { chainId: ours }: PaymentNetwork,
): Promise<void> {
  const subject = 'the logs of the channel contract'
  const chainId = await ask(subject, () => client.getChainId())
  if (chainId !== ours)
    throw new ChainError(subject, { reason: `the node serves chain ${chainId}` })
}

/** The contract's logs in a receipt. */
export function channelLogsOf({
  logs,
}: {
  readonly logs: readonly RawLog[]
}): readonly ChannelLog[] {
  return logs.flatMap((log) => {
    const mined = readLog(log)
    return mined === undefined ? [] : (readChannelLog(mined) ?? [])
  })
}

const abi = parseAbi([
  'function channels(bytes32 channelId) view returns (uint128 balance, uint128 totalClaimed)',
  'function pendingWithdrawals(bytes32 channelId) view returns (uint128 amount, uint40 initiatedAt)',
  'function refundNonce(bytes32 channelId) view returns (uint256)',
  'function receivers(address receiver, address token) view returns (uint128 totalClaimed, uint128 totalSettled)',
])
const twoWords = parseAbiParameters('uint256, uint256')
const oneWord = parseAbiParameters('uint256')

type Reading = {
  readonly client: PublicClient
  readonly block: number | undefined
}

/** Three calls each, so that a query stays far below the gas of an `eth_call`. */
const channelsPerQuery = 200

async function readChannels(
  reading: Reading & { readonly network: PaymentNetwork },
  ids: readonly Hex[],
): Promise<readonly ChannelOnChain[]> {
  const found: ChannelOnChain[] = []
  for (let from = 0; from < ids.length; from += channelsPerQuery) {
    const calls = ids.slice(from, from + channelsPerQuery).flatMap(callsFor)
    const data = encodeMulticall(calls)
    await read(reading, { to: reading.network.multicall3, data }, (answer) => {
      const words = decodeMulticall(answer).map(({ returnData }) => returnData)
      for (let at = 0; at < words.length; at += 3) found.push(stateOf(words.slice(at, at + 3)))
    })
  }
  return found
}

function callsFor(id: Hex): readonly { readonly to: Hex; readonly data: Hex }[] {
  const args = [id] as const
  return (['channels', 'pendingWithdrawals', 'refundNonce'] as const).map((functionName) => ({
    to: channelContract,
    data: encodeFunctionData({ abi, functionName, args }),
  }))
}

function stateOf([channel = '0x', pending = '0x', nonce = '0x']: readonly Hex[]): ChannelOnChain {
  const [balance, totalClaimed] = decodeAbiParameters(twoWords, channel)
  const [, initiatedAt] = decodeAbiParameters(twoWords, pending)
  const [refundNonce] = decodeAbiParameters(oneWord, nonce)
  const withdrawalSince = initiatedAt === 0n ? null : Number(initiatedAt)
  return { balance, totalClaimed, withdrawalSince, refundNonce }
}

async function read<Result>(
  { client, block }: Reading,
  call: { readonly to: Hex; readonly data: Hex },
  decode: (answer: Hex) => Result,
): Promise<Result> {
  const subject = 'the channel contract'
  return await ask(subject, async () => {
    const outcome = await callContract(client, {
      subject,
      ...call,
      ...(block !== undefined && { block }),
    })
    if (outcome.status === 'reverted') throw new ChainError(subject, { reason: outcome.message })
    return decode(outcome.data)
  })
}
