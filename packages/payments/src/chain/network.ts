import type { Hex } from '@farebox/ledger'
import { multicall3Address as multicall3, usdcOnBase, usdcOnBaseSepolia } from './addresses.ts'

/** The networks on which payments are accepted. The devnet presents itself as Base Sepolia. */
export type NetworkName = 'devnet' | 'base-sepolia' | 'base'

export type PaymentNetwork = {
  readonly name: NetworkName
  readonly chainId: number
  /** Its name in x402 v2. */
  readonly caip2: `eip155:${number}`
  /** Its name in x402 v1. */
  readonly v1Name: 'base-sepolia' | 'base'
  readonly usdc: Hex
  /** The EIP-712 domain of its USDC. */
  readonly domain: { readonly name: string; readonly version: string }
  readonly multicall3: Hex
  /** Base URL of a block explorer; null when the network has none. */
  readonly explorer: string | null
}

const baseSepolia: PaymentNetwork = {
  name: 'base-sepolia',
  chainId: 84532,
  caip2: 'eip155:84532',
  v1Name: 'base-sepolia',
  usdc: usdcOnBaseSepolia,
  domain: { name: 'USDC', version: '2' },
  multicall3,
  explorer: 'https://sepolia.basescan.org',
}

const networks: Readonly<Record<NetworkName, PaymentNetwork>> = {
  devnet: { ...baseSepolia, name: 'devnet', explorer: null },
  'base-sepolia': baseSepolia,
  base: {
    name: 'base',
    chainId: 8453,
    caip2: 'eip155:8453',
    v1Name: 'base',
    usdc: usdcOnBase,
    domain: { name: 'USD Coin', version: '2' },
    multicall3,
    explorer: 'https://basescan.org',
  },
}

export const networkNames = Object.keys(networks) as readonly NetworkName[]

/** The chain, token and names behind a network's name. Throws a `TypeError` for any other text. */
export function paymentNetwork(name: NetworkName): PaymentNetwork {
  if (Object.hasOwn(networks, name)) return networks[name]
  throw new TypeError(`network must be one of ${networkNames.join(', ')}`)
}
