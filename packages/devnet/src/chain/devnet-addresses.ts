import type { Address } from 'viem'

/** Chain id of Base Sepolia, so that stock x402 clients accept the devnet. */
export const devnetChainId = 84532

/** USDC on Base Sepolia; stock clients reject any other asset there. */
export const usdcAddress: Address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'

export const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

export const permit2Address: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/** Payment channels of x402's `batch-settlement` scheme, at the same address on every chain. */
export const batchSettlementAddress: Address = '0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003'

/** Brings EIP-3009 deposits into payment channels, at the same address on every chain. */
export const depositCollectorAddress: Address = '0x4020806089470a89826cB9fB1f4059150b550004'

/** anvil's first development account, unlocked and funded: it sends the devnet's transactions. */
export const adminAddress: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
