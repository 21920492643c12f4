import { invalidOption } from '../invalid-option.ts'

export type FareboxNetwork = 'base' | 'base-sepolia'

/** A chain to pay on, and its USDC as Circle deployed it. */
export type PaymentNetwork = {
  readonly name: FareboxNetwork
  /** CAIP-2 id. */
  readonly id: string
  readonly chainId: number
  readonly usdc: `0x${string}`
  /** The domain of the token's typed data (EIP-712). */
  readonly domain: { readonly name: string; readonly version: string }
}

/** The chains that can be paid on. Source of the addresses: https://developers.circle.com/stablecoins/usdc-contract-addresses */
export const paymentNetworks: Readonly<Record<FareboxNetwork, PaymentNetwork>> = {
  base: {
    name: 'base',
    id: 'eip155:8453',
    chainId: 8453,
    usdc: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    domain: { name: 'USD Coin', version: '2' },
  },
  'base-sepolia': {
    name: 'base-sepolia',
    id: 'eip155:84532',
    chainId: 84532,
    usdc: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    domain: { name: 'USDC', version: '2' },
  },
}

/**
 * The networks with these names, both by default; plain JavaScript may pass one name by itself. Throws
 * `invalid_option`.
 */
export function networksOf(
  names: readonly FareboxNetwork[] = ['base', 'base-sepolia'],
): readonly PaymentNetwork[] {
  if (names.length === 0) throw invalidOption('networks is empty.')
  return [names].flat().map((name) => {
    if (Object.hasOwn(paymentNetworks, name)) return paymentNetworks[name]
    const known = Object.keys(paymentNetworks).join(', ')
    throw invalidOption(`networks: ${name} is not one of ${known}.`)
  })
}
