import { randomBytes } from 'node:crypto'
import type { Hex, LedgerStore } from '@farebox/ledger'
import { atomicUsdc, type Usdc } from '@farebox/money'
import type { ChainReader, RefundSigner } from '../chain/chain.ts'
import { createChainReader } from '../chain/chain-reader.ts'
import { lowerHex } from '../chain/hex.ts'
import { type NetworkName, type PaymentNetwork, paymentNetwork } from '../chain/network.ts'
import { type ChannelSellingOptions, sellByChannel } from '../channel-gate/sell-by-channel.ts'
import type { Observer } from '../events/payment-events.ts'
import type { PayerLimits } from '../policy/payer-limits.ts'
import {
  defaultPaymentPolicy,
  devnetPaymentPolicy,
  type PaymentPolicy,
  paymentPolicy,
} from '../policy/payment-policy.ts'
import {
  computedRefundMinimum,
  fixedRefundMinimum,
  type RefundMinimum,
} from '../policy/refund-minimum.ts'
import { createRefundSigner } from '../refund-sender/refund-signer.ts'
import { createRpcClient, type RpcOptions } from '../rpc/rpc-client.ts'
import { assemblePaywall, type Paywall } from './assemble-paywall.ts'
import { type FacilitatorChoice, openSettlementBackend } from './settlement-backend.ts'

export type PaywallOptions = {
  readonly network: NetworkName
  readonly rpcUrl: string
  /** Keeps the payments: `openLedger` of `@farebox/ledger/sql`, or a memory store for trials. */
  readonly store: LedgerStore
  /** Of the address that payments go to. It signs refunds and holds no ETH. */
  readonly treasuryKey: Hex
  /** Pays the gas of settlements and refunds. Not needed where a facilitator does. */
  readonly relayerKey?: Hex | undefined
  /** An x402 facilitator that settles in place of this process. */
  readonly facilitator?: FacilitatorChoice | undefined
  /** The address of this app for its clients; by default the host of each request. */
  readonly publicUrl?: string | undefined
  /** The least that is refunded on its own; less adds up per payer. Follows gas by default. */
  readonly refundMinimum?: Usdc | undefined
  /** What a payer may buy, asked for each payment; nothing limits it by default. */
  readonly payerLimits?: ((payer: Hex) => PayerLimits) | undefined
  /** What differs from the network's own policy: times, confirmations, limits. */
  readonly policy?: Partial<PaymentPolicy>
  /**
   * Monitors the treasury: `sales_stopped` is reported when it does not match the ledger. Its owner
   * may move its money to these accounts.
   */
  readonly monitoring?: { readonly ownAccounts: readonly Hex[] }
  /** Sells from payment channels too. Off by default, since nothing claims what was charged yet. */
  readonly channels?: ChannelSellingOptions | undefined
  /** Milliseconds since 1970. The machine's clock by default. */
  readonly clock?: () => number
  readonly onEvent?: Observer | undefined
}

/**
 * Opens a paywall from keys and addresses: `start()` runs its recovery and refunds, beside those of
 * any other replica on the same store.
 *
 * @throws {PaywallError} `no_settlement_path` without a relayer and without a facilitator.
 * @throws {PaymentPolicyError} when a time that must be above zero is not.
 */
export function openPaywall({ treasuryKey, ...options }: PaywallOptions): Paywall {
  const network = paymentNetwork(options.network)
  const signer = createRefundSigner({ privateKey: treasuryKey, network })
  return openFor({ payTo: signer.treasury, signer }, options)
}

/** A paywall that takes payments for an address whose key is elsewhere: refunds stay due. */
export function openPaywallWithoutRefunds({
  payTo,
  ...options
}: Omit<PaywallOptions, 'treasuryKey' | 'channels'> & { readonly payTo: Hex }): Paywall {
  return openFor({ payTo: lowerHex(payTo), signer: undefined }, options)
}

type Treasury = { readonly payTo: Hex; readonly signer: RefundSigner | undefined }

function openFor(
  { payTo, signer }: Treasury,
  options: Omit<PaywallOptions, 'treasuryKey'>,
): Paywall {
  const { rpcUrl, store, relayerKey, facilitator, monitoring, publicUrl, onEvent } = options
  const { clock = Date.now, payerLimits } = options
  const network = paymentNetwork(options.network)
  const policy = paymentPolicy({ ...networkPolicy(network), ...options.policy })
  const rpc = sharedRpc(rpcUrl)
  const chain = createChainReader(rpc)
  const { settleTimeoutMs, settlementGas } = policy
  const limits = { settleTimeoutMs, settlementGas }
  const wiring = { ...rpc, network, chain, relayerKey, facilitator, ...limits }
  const backend = openSettlementBackend(wiring)
  return assemblePaywall({
    store,
    chain,
    clock,
    network,
    policy,
    payTo,
    publicUrl,
    payerLimits,
    monitoring,
    randomBytes,
    owner: `replica-${randomBytes(8).toString('hex')}`,
    refundMinimum: refundMinimumOf(options.refundMinimum, { network, chain, clock }),
    facilitator: backend.facilitator,
    relayer: backend.relayer,
    refunding: signer && { signer, sender: backend.sender },
    release: backend.close,
    ...(onEvent && { onEvent }),
    ...(options.channels && { channels: sellByChannel(options.channels) }),
  })
}

/** What one part of a paywall asked the node a moment ago, the others know too. */
function sharedRpc(rpcUrl: string): RpcOptions {
  const options = { rpcUrl, freshMs: 250 }
  return { ...options, client: createRpcClient(options) }
}

function networkPolicy({ name }: PaymentNetwork): PaymentPolicy {
  return name === 'devnet' ? devnetPaymentPolicy : defaultPaymentPolicy
}

type MinimumParts = {
  readonly network: PaymentNetwork
  readonly chain: ChainReader
  readonly clock: () => number
}

/** Gas costs nothing on a devnet, so that every refund there is worth its transfer. */
function refundMinimumOf(
  minimum: Usdc | undefined,
  { network, chain, clock }: MinimumParts,
): RefundMinimum {
  if (minimum !== undefined) return fixedRefundMinimum(minimum)
  return network.name === 'devnet'
    ? fixedRefundMinimum(atomicUsdc(1n))
    : computedRefundMinimum({ chain, clock })
}
