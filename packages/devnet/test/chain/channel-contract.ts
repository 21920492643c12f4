import {
  type Address,
  BaseError,
  decodeErrorResult,
  type Hex,
  isHex,
  parseAbiItem,
  parseEventLogs,
  toHex,
} from 'viem'
import {
  batchSettlementAbi as abi,
  batchSettlementAddress,
  type Devnet,
  depositCollectorAbi,
} from '../../src/index.ts'
import { connect } from './authorization.ts'

type Event = { readonly name: string; readonly args: unknown }

/** The channel contract of a devnet, as anyone can call it. */
export type ChannelContract = {
  /** Sends a call and returns the contract's events. The relayer sends it unless a sender is named. */
  send(data: Hex, from?: Address): Promise<readonly Event[]>
  /** The name of the error, or the text, with which the call reverts; otherwise `undefined`. */
  refusal(data: Hex, from?: Address, to?: Address): Promise<string | undefined>
  channel(id: Hex): Promise<readonly [balance: bigint, totalClaimed: bigint]>
  pendingAmount(id: Hex): Promise<bigint>
  refundNonce(id: Hex): Promise<bigint>
  read: ReturnType<typeof connect>['reader']
}

const errors = [...abi, ...depositCollectorAbi, parseAbiItem('error Error(string reason)')] as const

export async function channelContract(devnet: Devnet): Promise<ChannelContract> {
  const contract = { address: batchSettlementAddress, abi } as const
  const relayer = devnet.relayer.address
  const { reader: read } = connect(devnet)
  for (const { address } of [devnet.relayer, devnet.treasury, ...devnet.payers]) {
    await devnet.setEthBalance(address, 10n ** 18n)
    await devnet.rpc('anvil_impersonateAccount', [address])
  }
  return {
    read,
    async send(data, from = relayer) {
      const transaction = { from, to: batchSettlementAddress, data, gas: toHex(1_000_000) }
      const hash = await devnet.rpc<Hex>('eth_sendTransaction', [transaction])
      const { logs, status } = await read.waitForTransactionReceipt({ hash })
      if (status !== 'success') throw new Error('the transaction reverted')
      return parseEventLogs({ abi, logs }).map(({ eventName, args }) => ({ name: eventName, args }))
    },
    refusal: async (data, account = relayer, to = batchSettlementAddress) =>
      await read.call({ account, to, data }).then(() => undefined, refusalOf),
    channel: async (id) =>
      await read.readContract({ ...contract, functionName: 'channels', args: [id] }),
    pendingAmount: async (id) =>
      (await read.readContract({ ...contract, functionName: 'pendingWithdrawals', args: [id] }))[0],
    refundNonce: async (id) =>
      await read.readContract({ ...contract, functionName: 'refundNonce', args: [id] }),
  }
}

function refusalOf(error: unknown): string {
  const cause = error instanceof BaseError ? error.walk(hasData) : undefined
  if (!hasData(cause)) throw error
  const { errorName, args } = decodeErrorResult({ abi: errors, data: cause.data })
  return errorName === 'Error' ? args[0] : errorName
}

function hasData(cause: unknown): cause is { readonly data: Hex } {
  return typeof cause === 'object' && cause !== null && 'data' in cause && isHex(cause.data)
}
