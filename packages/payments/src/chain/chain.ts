import type { Hex, TransferProof } from '@farebox/ledger'
import type { Usdc } from '@farebox/money'
import type { TokenControls } from '../rpc/token-controls.ts'

export type Block = { readonly number: number; readonly hash: Hex; readonly timestamp: number }

/** What the chain's logs show about one EIP-3009 nonce. */
export type AuthorizationUse =
  /**
   * `AuthorizationUsed` and the `Transfer` that belongs to it, in one successful receipt. The proof
   * points at the `Transfer`. Its block is before `fromBlock` when the nonce was used earlier.
   */
  | {
      readonly status: 'transferred'
      readonly to: Hex
      readonly value: Usdc
      readonly proof: TransferProof
    }
  | { readonly status: 'canceled' }
  /** No log up to `head`. The nonce can still be used while the authorization is valid. */
  | { readonly status: 'unused'; readonly head: Block }

/** Who sent a transaction, and the data of its call, in lower case. */
export type ChainTransaction = { readonly from: Hex; readonly data: Hex }

/** Reads the chain. Throws `ChainError` when the node does not answer. */
export type ChainReader = {
  head(): Promise<Block>
  authorizationUse(search: {
    readonly asset: Hex
    readonly from: Hex
    readonly nonce: Hex
    /** The chain's head when the settlement was intended. */
    readonly fromBlock: number
    /** A transaction that may have used it: if it did, no search is needed. */
    readonly hint?: Hex | null
  }): Promise<AuthorizationUse>
  /**
   * How many blocks confirm a proof, its own being the first; `gone` when its block has left the
   * canonical chain.
   */
  confirmationsOf(proof: TransferProof): Promise<number | 'gone'>
  /** The log of a proven deposit that credited its channel; null if none did. */
  depositProof(deposit: {
    readonly transfer: TransferProof
    readonly channelId: Hex
    readonly amount: Usdc
  }): Promise<TransferProof | null>
  /** Every EIP-3009 transfer from or to an address in a range of blocks, for audits. */
  transfersOf(search: {
    readonly asset: Hex
    readonly address: Hex
    readonly fromBlock: number
    readonly toBlock: number
  }): Promise<readonly ChainTransfer[]>
  /** Null when the node does not know the transaction. */
  transactionOf(hash: Hex): Promise<ChainTransaction | null>
  balanceOf(asset: Hex, address: Hex): Promise<Usdc>
  nativeBalanceOf(address: Hex): Promise<bigint>
  /** What decides whether an account can pay. Payers that are asked for together are one call. */
  payerOf(asset: Hex, address: Hex): Promise<ChainPayer>
  /** Whether the asset's issuer has stopped its transfers, or those of an account. */
  tokenControls(asset: Hex, account: Hex): Promise<TokenControls>
  hasCode(address: Hex): Promise<boolean>
  /** The code of a contract, or of an account that delegates to one (EIP-7702); null for a key. */
  codeOf(address: Hex): Promise<Hex | null>
  gasPrice(): Promise<bigint>
  /** EIP-1271, for payers with code: whether the contract accepts the signature of the digest. */
  acceptsSignature(check: {
    readonly address: Hex
    readonly digest: Hex
    readonly signature: Hex
  }): Promise<boolean>
}

export type ChainPayer = {
  readonly balance: Usdc
  /** As of `codeOf`. */
  readonly code: Hex | null
}

export type ChainTransfer = {
  readonly from: Hex
  readonly to: Hex
  readonly value: Usdc
  /** The authorization behind it; null for a plain transfer. */
  readonly nonce: Hex | null
  readonly proof: TransferProof
}

/** A signed refund, which anyone can send. */
export type SignedRefund = {
  readonly nonce: Hex
  readonly asset: Hex
  readonly from: Hex
  readonly to: Hex
  readonly value: Usdc
  readonly validAfter: number
  readonly validBefore: number
  readonly signature: Hex
}

/** Why the relayer sends nothing; no call of it is at fault. */
export type SendingObstacle = 'no_gas' | 'rpc_down' | 'fee_cap' | 'signer_down'

/** The outcome of sending a batch of refunds. Whether each arrived is for the chain's logs to show. */
export type RefundSendOutcome =
  | { readonly status: 'sent'; readonly transaction: Hex }
  | { readonly status: 'unknown'; readonly reason: string; readonly transaction: Hex | null }
  /** Nothing was sent: the fault lies with the node or the relayer, not with a refund. */
  | { readonly status: 'unavailable'; readonly reason: SendingObstacle }

/** Why a refund cannot be delivered now, according to the chain. */
export type RefundObstacle =
  | { readonly scope: 'payee'; readonly reason: 'blacklisted_payee' | 'reverts' }
  | {
      readonly scope: 'system'
      readonly reason:
        | 'token_paused'
        | 'treasury_blacklisted'
        | 'treasury_delegated'
        | 'treasury_empty'
    }

/** Sends signed refunds, one alone or several in a batch in which each may fail alone. */
export type RefundSender = {
  /** `null` when the refund would succeed now. */
  probe(refund: SignedRefund): Promise<RefundObstacle | null>
  send(batch: readonly [SignedRefund, ...SignedRefund[]]): Promise<RefundSendOutcome>
  /** Whether its transaction, or a replacement, is in a block before `timeoutMs` have passed. */
  isMined(transaction: Hex, timeoutMs: number): Promise<boolean>
}

/** Signs refunds with the treasury's key, and nothing else. */
export type RefundSigner = {
  readonly treasury: Hex
  sign(refund: Omit<SignedRefund, 'signature'>): Promise<Hex>
}
