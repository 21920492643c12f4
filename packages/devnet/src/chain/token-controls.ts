import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, encodeFunctionData, type Hex, multicall3Abi, numberToHex } from 'viem'
import type { JsonRpc } from '../anvil/json-rpc.ts'
import { DevnetError } from '../devnet-error.ts'
import { devnetUsdcAbi } from '../generated/usdc-abi.gen.ts'
import type { Mining } from './chain-controls.ts'
import { adminAddress, multicall3Address, usdcAddress } from './devnet-addresses.ts'

/** Balances and faults of the token. Amounts are atomic units (1 USDC = 1,000,000). */
export type TokenControls = {
  usdcBalance(address: Address): Promise<bigint>
  mint(address: Address, amount: bigint): Promise<void>
  blacklist(address: Address): Promise<void>
  unBlacklist(address: Address): Promise<void>
  /** Rejects every transfer until `unpause`. */
  pause(): Promise<void>
  unpause(): Promise<void>
}

export type TokenAdmin = TokenControls & {
  /** Mints to all of them in one transaction. */
  mintEach(addresses: readonly Address[], amount: bigint): Promise<void>
  send(to: Address, data: Hex): Promise<void>
}

type Receipt = { readonly status: Hex } | null

/**
 * Each control is a real transaction of the devnet's administrator, so the logs are complete. With
 * automatic mining it has taken effect when the promise resolves; otherwise it waits in the pool
 * for the next block.
 */
export function createTokenAdmin(rpc: JsonRpc, mining: Mining): TokenAdmin {
  let last: Promise<unknown> = Promise.resolve()

  // Send one at a time: the node chooses the nonce, and concurrent calls could get the same one.
  function send(to: Address, data: Hex): Promise<void> {
    const sent = last.then(() => submit(rpc, { to, data }))
    last = sent.catch(() => undefined)
    return sent.then((hash) => (mining.current === 'auto' ? confirm(rpc, hash) : undefined))
  }
  const token = (data: Hex): Promise<void> => send(usdcAddress, data)

  return {
    send,
    async usdcBalance(address) {
      const data = encodeFunctionData({
        abi: devnetUsdcAbi,
        functionName: 'balanceOf',
        args: [address],
      })
      return BigInt(await rpc<Hex>('eth_call', [{ to: usdcAddress, data }, 'latest']))
    },
    mint: async (address, amount) => await token(mintCall(address, amount)),
    mintEach: async (addresses, amount) =>
      await send(
        multicall3Address,
        aggregate(addresses.map((address) => mintCall(address, amount))),
      ),
    blacklist: async (address) =>
      await token(
        encodeFunctionData({ abi: devnetUsdcAbi, functionName: 'blacklist', args: [address] }),
      ),
    unBlacklist: async (address) =>
      await token(
        encodeFunctionData({ abi: devnetUsdcAbi, functionName: 'unBlacklist', args: [address] }),
      ),
    pause: async () =>
      await token(encodeFunctionData({ abi: devnetUsdcAbi, functionName: 'pause' })),
    unpause: async () =>
      await token(encodeFunctionData({ abi: devnetUsdcAbi, functionName: 'unpause' })),
  }
}

function mintCall(address: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: devnetUsdcAbi, functionName: 'mint', args: [address, amount] })
}

function aggregate(calls: readonly Hex[]): Hex {
  return encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [calls.map((callData) => ({ target: usdcAddress, allowFailure: false, callData }))],
  })
}

async function submit(rpc: JsonRpc, call: { to: Address; data: Hex }): Promise<Hex> {
  return await rpc<Hex>('eth_sendTransaction', [
    {
      from: adminAddress,
      ...call,
      maxFeePerGas: numberToHex(1_000_000_000_000n),
      maxPriorityFeePerGas: '0x0',
    },
  ])
}

async function confirm(rpc: JsonRpc, hash: Hex): Promise<void> {
  for (;;) {
    const receipt = await rpc<Receipt>('eth_getTransactionReceipt', [hash])
    if (receipt?.status === '0x1') return
    if (receipt !== null)
      throw new DevnetError('rpc_failed', `the transaction ${hash} of the devnet failed`)
    await sleep(2)
  }
}
