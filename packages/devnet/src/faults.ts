export type { DevnetFacilitatorOptions } from './faults/devnet-facilitator.ts'
export { createDevnetFacilitator } from './faults/devnet-facilitator.ts'
export type {
  FacilitatorCall,
  FacilitatorEndpoint,
  FacilitatorFault,
  FacilitatorRule,
  FaultMoment,
  FaultyFacilitator,
  FaultyFacilitatorOptions,
} from './faults/faulty-facilitator.ts'
export {
  claimedFailure,
  claimedSuccess,
  startFaultyFacilitator,
} from './faults/faulty-facilitator.ts'
export type {
  Flashblocks,
  FlashblocksOptions,
  ShownLog,
  ShownReceipt,
} from './faults/flashblocks.ts'
export { startFlashblocks } from './faults/flashblocks.ts'
export type {
  RpcCall,
  RpcFault,
  RpcFaults,
  RpcFaultsOptions,
  RpcRule,
} from './faults/rpc-faults.ts'
export { startRpcFaults } from './faults/rpc-faults.ts'
