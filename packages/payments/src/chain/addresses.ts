import type { Hex } from '@farebox/ledger'

/** Circle's USDC, https://developers.circle.com/stablecoins/usdc-contract-addresses */
export const usdcOnBase: Hex = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
export const usdcOnBaseSepolia: Hex = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'

/** The same on every chain, https://www.multicall3.com */
export const multicall3Address: Hex = '0xca11bde05977b3631167028862be2a173976ca11'

/** Payment channels of the x402 `batch-settlement` scheme, the same on every chain. */
export const channelContract: Hex = '0x4020074e9df2ce1dee5a9c1b5c3f541d02a10003'
/** Pulls a deposit into a channel by EIP-3009. */
export const depositCollector: Hex = '0x4020806089470a89826cb9fb1f4059150b550004'

export const zeroAddress: Hex = '0x0000000000000000000000000000000000000000'
