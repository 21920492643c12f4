export type { JsonRpc } from './anvil/json-rpc.ts'
export type { ChainControls } from './chain/chain-controls.ts'
export { delegateTo } from './chain/delegate-to.ts'
export type { DevnetAccount } from './chain/devnet-account.ts'
export { payerAccount } from './chain/devnet-account.ts'
export {
  batchSettlementAddress,
  depositCollectorAddress,
  devnetChainId,
  multicall3Address,
  permit2Address,
  usdcAddress,
} from './chain/devnet-addresses.ts'
export { burningWallet, expiringWallet, flippingWallet } from './chain/lying-wallets.ts'
export type { SmartWallets } from './chain/smart-wallets.ts'
export { createWalletCall } from './chain/smart-wallets.ts'
export type { TokenControls } from './chain/token-controls.ts'
export type { DevnetErrorCode } from './devnet-error.ts'
export { DevnetError } from './devnet-error.ts'
export type { DevnetFile } from './devnet-file.ts'
export { readDevnetFile, writeDevnetFile } from './devnet-file.ts'
export type { DevnetOptions } from './devnet-options.ts'
export { batchSettlementAbi } from './generated/batch-settlement-abi.gen.ts'
export { depositCollectorAbi } from './generated/deposit-collector-abi.gen.ts'
export { smartWalletAbi } from './generated/smart-wallet-abi.gen.ts'
export { smartWalletFactoryAbi } from './generated/smart-wallet-factory-abi.gen.ts'
export { smartWalletFactoryAddress } from './generated/smart-wallet-factory-address.gen.ts'
export { devnetUsdcAbi } from './generated/usdc-abi.gen.ts'
export { openDevnet } from './open-devnet.ts'
export type { Devnet } from './start-devnet.ts'
export { startDevnet } from './start-devnet.ts'
