export type {
  AuthorizationUse,
  Block,
  ChainReader,
  ChainTransfer,
  RefundObstacle,
  RefundSender,
  RefundSendOutcome,
  RefundSigner,
  SignedRefund,
} from './chain/chain.ts'
export {
  type ChainIdentity,
  type ChainIdentityOptions,
  readChainIdentity,
} from './chain/chain-identity.ts'
export { type ChainReaderOptions, createChainReader } from './chain/chain-reader.ts'
export { type ChannelIdentity, readChannelIdentity } from './channel/channel-identity.ts'
export {
  type ChannelChain,
  type ChannelChainOptions,
  createChannelChain,
} from './channel-chain/channel-chain.ts'
export {
  type CdpFacilitatorOptions,
  cdpFacilitatorUrl,
  createCdpFacilitator,
} from './facilitators/cdp-facilitator.ts'
export {
  type CdpCredentials,
  CdpKeyError,
  type CdpToken,
  createCdpToken,
} from './facilitators/cdp-token.ts'
export { facilitatorEndpoint } from './facilitators/facilitator-endpoint.ts'
export {
  createInProcessFacilitator,
  type InProcessFacilitatorOptions,
} from './facilitators/in-process-facilitator.ts'
export {
  createRemoteFacilitator,
  type RemoteFacilitatorOptions,
} from './facilitators/remote-facilitator.ts'
export { batchedRefundNonce, refundNonce } from './refund-plan/refund-nonce.ts'
export {
  createFacilitatorRefundSender,
  type FacilitatorRefundSenderOptions,
} from './refund-sender/facilitator-refund-sender.ts'
export { createRefundSender, type RefundSenderOptions } from './refund-sender/refund-sender.ts'
export {
  createRefundSigner,
  RefundSignerError,
  type TreasurySigner,
} from './refund-sender/refund-signer.ts'
export { readDataFee } from './relayer/data-fee.ts'
export { createPreconfirmations, type Preconfirmations } from './relayer/preconfirmations.ts'
export type { QueueNotice, QueueOutcome, TransactionCall } from './relayer/transaction-call.ts'
export {
  createTransactionQueue,
  type TransactionQueue,
  type TransactionQueueOptions,
} from './relayer/transaction-queue.ts'
export { type AuthorizedUrl, basicAuthorization } from './rpc/basic-authorization.ts'
export { ChainError } from './rpc/chain-error.ts'
export type { TokenControls } from './rpc/token-controls.ts'
export type { Facilitator, SettleOutcome, ShownSettlement } from './settlement/facilitator.ts'
export { SigningError } from './signature/signing-error.ts'
export { type SigningAccount, type SigningKey, signingAddress } from './signature/signing-key.ts'
