import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, zeroHash } from 'viem'
import type { JsonRpc } from '../anvil/json-rpc.ts'
import { smartWalletFactoryAbi } from '../generated/smart-wallet-factory-abi.gen.ts'
import { smartWalletFactoryAddress } from '../generated/smart-wallet-factory-address.gen.ts'

/** Contract wallets (ERC-1271) with one owner, whose plain signature counts as the wallet's. */
export type SmartWallets = {
  /** Address of the owner's wallet, whether or not it exists yet (ERC-6492). */
  smartWalletOf(owner: Address): Promise<Address>
  /** Deploys the owner's wallet, with an empty balance. */
  deploySmartWallet(owner: Address): Promise<Address>
}

export function createSmartWallets(
  rpc: JsonRpc,
  send: (to: Address, data: Hex) => Promise<void>,
): SmartWallets {
  async function smartWalletOf(owner: Address): Promise<Address> {
    const data = encodeFunctionData({
      abi: smartWalletFactoryAbi,
      functionName: 'addressOf',
      args: [owner, zeroHash],
    })
    const result = await rpc<Hex>('eth_call', [{ to: smartWalletFactoryAddress, data }, 'latest'])
    return decodeFunctionResult({
      abi: smartWalletFactoryAbi,
      functionName: 'addressOf',
      data: result,
    })
  }
  return {
    smartWalletOf,
    async deploySmartWallet(owner) {
      await send(smartWalletFactoryAddress, createWalletCall(owner))
      return await smartWalletOf(owner)
    },
  }
}

/** Call data that makes the factory deploy the owner's wallet, for an ERC-6492 signature. */
export function createWalletCall(owner: Address): Hex {
  return encodeFunctionData({
    abi: smartWalletFactoryAbi,
    functionName: 'create',
    args: [owner, zeroHash],
  })
}
