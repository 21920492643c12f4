export type { ChainControls } from './chain-controls.ts'
export type { DevnetAccount } from './devnet-account.ts'
export { payerAccount } from './devnet-account.ts'
export {
  devnetChainId,
  multicall3Address,
  permit2Address,
  usdcAddress,
} from './devnet-addresses.ts'
export type { DevnetErrorCode } from './devnet-error.ts'
export { DevnetError } from './devnet-error.ts'
export type { DevnetFile } from './devnet-file.ts'
export { readDevnetFile, writeDevnetFile } from './devnet-file.ts'
export { smartWalletAbi } from './generated/smart-wallet-abi.gen.ts'
export { smartWalletFactoryAbi } from './generated/smart-wallet-factory-abi.gen.ts'
export { smartWalletFactoryAddress } from './generated/smart-wallet-factory-address.gen.ts'
export { devnetUsdcAbi } from './generated/usdc-abi.gen.ts'
export type { JsonRpc } from './json-rpc.ts'
export { openDevnet } from './open-devnet.ts'
export type { SmartWallets } from './smart-wallets.ts'
export { createWalletCall } from './smart-wallets.ts'
export type { Devnet, DevnetOptions } from './start-devnet.ts'
export { startDevnet } from './start-devnet.ts'
export type { TokenControls } from './token-controls.ts'
