/** A chain as `wallet_addEthereumChain` takes it, by EIP-3085. */
export type AddableChain = {
  readonly chainId: `0x${string}`
  readonly chainName: string
  readonly nativeCurrency: {
    readonly name: string
    readonly symbol: string
    readonly decimals: number
  }
  readonly rpcUrls: readonly string[]
  readonly blockExplorerUrls: readonly string[]
}

const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }

/** Chain ids and addresses of nodes: https://docs.base.org/base-chain/quickstart/connecting-to-base. */
const chains: readonly AddableChain[] = [
  {
    chainId: '0x2105',
    chainName: 'Base',
    nativeCurrency,
    rpcUrls: ['https://mainnet.base.org'],
    blockExplorerUrls: ['https://basescan.org'],
  },
  {
    chainId: '0x14a34',
    chainName: 'Base Sepolia',
    nativeCurrency,
    rpcUrls: ['https://sepolia.base.org'],
    blockExplorerUrls: ['https://sepolia.basescan.org'],
  },
]

/** The chain with this id; undefined if nothing is sold on it. */
export function addableChain(chainId: string): AddableChain | undefined {
  return chains.find((chain) => chain.chainId === chainId)
}
